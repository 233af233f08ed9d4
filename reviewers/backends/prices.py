"""The cost of a request in US dollars, as far as prices are known."""

from dataclasses import dataclass

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens; None if unknown.

    Attributes:
        cached: for input that the provider had in its cache; where None, such input costs as much
            as other input.
        output: reasoning included.
    """

    input: float | None = None
    cached: float | None = None
    output: float | None = None

    @property
    def known(self) -> bool:
        """Whether a cost can be computed at all."""
        return self.input is not None and self.output is not None

    def times(self, share: float) -> "Prices":
        """Return this share of every price that is known."""
        return Prices(
            *(
                None if price is None else price * share
                for price in (self.input, self.cached, self.output)
            )
        )

    def cost(
        self, input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None = None
    ) -> float | None:
        """Return US dollars; None if a price or a count is unknown."""
        if (
            self.input is None
            or self.output is None
            or input_tokens is None
            or output_tokens is None
        ):
            return None
        cached = min(cached_tokens or 0, input_tokens)
        at_cached = self.input if self.cached is None else self.cached
        return (
            (input_tokens - cached) * self.input + cached * at_cached + output_tokens * self.output
        ) / _MILLION
