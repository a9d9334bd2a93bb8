"""Letting a project's settings file, which may have come with a clone, count as the user's own."""

from pathlib import Path

from holdfast.errors import ConfigError, InvalidInput
from holdfast.guard.registry import Registry
from holdfast.model.value import Value


class Vouching(Value):
    """A settings file, and what of it is not obeyed as it stands."""

    file: Path | None = None
    ignored: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    """Those of the ignored keys that only the user may set, by typing them."""

    def accept(self, registry: Registry) -> tuple[str, ...]:
        """Obey the file from now on; return the keys that were not obeyed before."""
        if self.file is None or self.file.is_symlink() or not self.file.is_file():
            raise InvalidInput(field="--config", problem=f"there is no file {self.file}.")
        for key in self.reserved:
            problem = "says where all you remember goes: take that line out, and set it with `holdfast config set`"
            raise ConfigError(key=key, problem=problem, origin=self.file)
        registry.vouch_for_config(self.file)
        return self.ignored
