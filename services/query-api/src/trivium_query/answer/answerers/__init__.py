"""One answerer for each kind of question: a pure function from what was read to a draft, or to none."""
