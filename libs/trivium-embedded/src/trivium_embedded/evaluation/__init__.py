"""`trivium eval`: a data set through the product's own flow, in a tenant that is thrown away."""

from trivium_embedded.evaluation.answers import evaluate_answers as answers
from trivium_embedded.evaluation.retrieval import evaluate_retrieval as retrieval

__all__ = ["answers", "retrieval"]
