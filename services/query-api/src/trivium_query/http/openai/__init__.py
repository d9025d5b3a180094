"""OpenAI's interface over Trivium's handlers, for programs that speak it; its errors too. Read `door.py` first."""
