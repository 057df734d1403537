"""What is said to people: one line in English, with a name and facts for a page's own language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Said:
    """One line.

    Attributes:
        text: in English, for logs and programs.
        code: names it; a page has a sentence for each name in each language.
        facts: what it speaks of; plain data.
    """

    text: str = ""
    code: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, error: BaseException) -> Self:
        """What an error says; without a name where it has none."""
        return cls(
            str(error) or type(error).__name__,
            getattr(error, "code", ""),
            getattr(error, "facts", {}),
        )

    def agreed(self, by: str) -> Self:
        """The same, with the table's referee who let it in."""
        text = "; ".join(filter(None, (self.text, f"agreed by the table's referee {by}")))
        return type(self)(text, self.code or "agreed", {**self.facts, "agreed": by})


def said(text: str, code: str, **facts: Any) -> Said:
    """A line with its name and facts."""
    return Said(text, code, facts)
