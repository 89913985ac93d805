"""What earlier kernels have left of a loop: its translation, and a note on how it went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.runtime import recollections, translations
from jupyter_npcompile.runtime.loop_compile import Compiles, Job, LoopCompile
from jupyter_npcompile.runtime.native import torch_symbols
from jupyter_npcompile.runtime.recollections import Note, Recollection


@dataclass(frozen=True)
class Earlier:
    """What earlier kernels have left of a loop.

    Parameters
    ----------
    job : Job
        What there is to translate.
    name : str or None
        Of the note.
    known : Recollection or None
        What was noted of it, for such sizes.
    code : LoopCode or None
        Its translation, if all that it assumes holds.
    """

    job: Job
    name: str | None = None
    known: Recollection | None = None
    code: LoopCode | None = None

    @classmethod
    def of(cls, job: Job, namespace: Mapping[str, Any]) -> Earlier:
        """Look what there is.

        Parameters
        ----------
        job : Job
            What there is to translate.
        namespace : mapping of str to object
            What names are bound to.
        """
        exact = job.exact
        if exact is None:
            return cls(job)
        name = job.noted_as(exact)
        known = recollections.recall(name)
        if known is not None and not known.gains:
            return cls(job, name, known)
        return cls(job, name, known, translations.find(exact, namespace))

    @property
    def is_declined(self) -> bool:
        """Whether it has no native form."""
        return self.known is not None and self.known.is_declined

    def compile(self, state: Compiles) -> LoopCompile | None:
        """What has its native form at once, see `LoopCompile.recall`, if it is translated."""
        if self.code is None or self.name is None or torch_symbols.are_being_loaded():
            return None
        note = Note(self.name, self.known or Recollection(0.0))
        return LoopCompile(state, self.job, code=self.code, note=note)
