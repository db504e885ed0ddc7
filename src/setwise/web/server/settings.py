"""What a server was started with; worker processes read it from their environment."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field

from setwise.errors import InputError
from setwise.web.app.guards.hosts import LOOPBACK, host_name, is_address
from setwise.web.app.limits import Limits

VARIABLE = "SETWISE_SERVE"
"""Environment variable with the settings, for worker processes."""
TOKEN = "SETWISE_TOKEN"
"""Environment variable with a token."""
LEAST_TOKEN = 16
"""Characters of a token, at least: shorter ones can be guessed."""


@dataclass(frozen=True)
class Settings:
    """What a server was started with.

    Parameters
    ----------
    paths : tuple of str
        Model files, and folders of them.
    host : str
    port : int
        0 chooses a free one.
    workers : int
        Server processes.
    token_file : str, optional
        A file with one token per line.
    no_token : bool
        Whether to listen beyond this machine without a token.
    hosts, origins : tuple of str
        Further host names to answer to, and origins whose pages may call.
    seconds_between_checks : float
        How often model files are looked at.
    metrics_folder : str, optional
        Where workers leave their counters for each other.
    limits : Limits

    Examples
    --------
    >>> Settings.from_json(Settings(("a.setwise",)).to_json()) == Settings(("a.setwise",))
    True
    """

    paths: tuple[str, ...]
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    token_file: str | None = None
    no_token: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    seconds_between_checks: float = 1.0
    metrics_folder: str | None = None
    limits: Limits = field(default_factory=Limits)

    def to_json(self) -> str:
        """The settings as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The settings of :meth:`to_json`."""
        stored = json.loads(text)
        lists = {name: tuple(stored[name]) for name in ("paths", "hosts", "origins")}
        return cls(**(stored | lists | {"limits": Limits(**stored["limits"])}))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        return self.host in LOOPBACK or self.host.startswith("127.")

    def tokens(self) -> list[str]:
        """The tokens of the file and of the environment."""
        found = [os.environ.get(TOKEN, "")]
        if self.token_file is not None:
            with open(self.token_file, encoding="utf-8") as file:
                found += file.read().splitlines()
        tokens = [token.strip() for token in found if token.strip()]
        if self.token_file is not None and not tokens:
            raise InputError("the file holds no token", file=self.token_file, hint="write one per line")
        if any(len(token) < LEAST_TOKEN or not token.isascii() for token in tokens):
            message = f"a token has fewer than {LEAST_TOKEN} characters, or others than ASCII"
            raise InputError(message, file=self.token_file, hint="`openssl rand -hex 32` makes a good one")
        return tokens

    def check(self) -> None:
        """Refuse settings that would let strangers in."""
        tokens = self.tokens()  # Read in any case: a wrong file is reported before the server starts.
        if not self.is_loopback and not self.no_token and not tokens:
            message = f"--host {self.host} lets other machines connect, and there is no token"
            hint = f"pass --token-file, set {TOKEN}, or pass --no-token if everyone may ask"
            raise InputError(message, hint=hint)

    def allowed_hosts(self) -> frozenset[str] | None:
        """Names that the server answers to. With a token, elsewhere than on this machine, any."""
        if not self.is_loopback and not self.hosts and self.tokens():
            return None
        names = {host_name(name) or name for name in self.hosts}
        return LOOPBACK | names | ({self.host} if is_address(self.host) else set())
