"""Questions of tables: rows of documents, typed, and what an SQL engine computes over them."""
