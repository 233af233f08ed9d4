"""The reviews of a submission as they count, under the name by which the desk's parts know them."""

from reviewers.batch.effective_reviews import EffectiveReviews, effective_reviews

__all__ = ["EffectiveReviews", "effective_reviews"]
