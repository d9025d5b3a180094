"""Which hosts the person who runs Trivium lets it fetch from, beside the rule that only public addresses may be.

Each list holds names (`wiki.local`), domains with all that is below them (`*.example.org`), addresses and networks
(`10.0.0.7`, `10.0.0.0/8`), separated by commas. What is denied stays so whatever allows it.
"""

from __future__ import annotations

import ipaddress
import re
from contextlib import suppress

import httpx2
import msgspec

from trivium.domain.errors import Refused

_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class HostList(msgspec.Struct, frozen=True):
    """Hosts and networks. `domains` cover themselves and what is below them."""

    names: frozenset[str] = frozenset()
    domains: tuple[str, ...] = ()
    networks: tuple[Network, ...] = ()

    def __bool__(self) -> bool:
        """Whether it names anything."""
        return bool(self.names or self.domains or self.networks)

    def has_host(self, host: str) -> bool:
        """Whether a name, as URLs spell it, is on the list."""
        host = host.rstrip(".").lower()
        return host in self.names or any(host == d or host.endswith(f".{d}") for d in self.domains)

    def has_address(self, address: str) -> bool:
        """Whether a numeric address lies in one of the networks; a mapped IPv4 address counts as itself."""
        ip = ipaddress.ip_address(address.partition("%")[0])
        inner = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
        return any(one in network for network in self.networks for one in (ip, inner) if one is not None)


class HostRules(msgspec.Struct, frozen=True):
    """`allow`: may be fetched although their address is private. `deny`: never. `only`: if given, nothing else."""

    allow: HostList = HostList()
    deny: HostList = HostList()
    only: HostList = HostList()

    def check_in_the_clear(self, host: str, encrypted: str) -> None:
        """Raises `Refused` (`not_encrypted`) unless the operator names the host, and knows how a credential gets there.

        `encrypted` is the scheme to use instead.
        """
        with suppress(ValueError):  # a name is no address
            if self.allow.has_host(host) or self.allow.has_address(host):
                return
        raise Refused(
            "not_encrypted",
            f"The credential would go to {host} for all to read.",
            f"Use {encrypted}, or add the host to TRIVIUM_URL_ALLOW.",
        )


def host_rules(allow: str = "", deny: str = "", only: str = "") -> HostRules:
    """The rules of `Settings.url_allow`, `url_deny` and `url_only`. Raises `Refused` (`bad_setting`)."""
    return HostRules(_list("ALLOW", allow), _list("DENY", deny), _list("ONLY", only))


def _list(which: str, setting: str) -> HostList:
    names: set[str] = set()
    domains: list[str] = []
    networks: list[Network] = []
    for entry in filter(None, (part.strip() for part in setting.split(","))):
        try:
            networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            continue
        except ValueError:
            pass
        name = _name(which, entry.removeprefix("*").removeprefix("."))
        if entry.startswith(("*.", ".")):
            domains.append(name)
        else:
            names.add(name)
    return HostList(frozenset(names), tuple(domains), tuple(networks))


def _name(which: str, entry: str) -> str:
    """The host as it stands in a request: ASCII, lower case, without the final dot."""
    if _HOST.fullmatch(entry):
        with suppress(httpx2.InvalidURL, UnicodeError):
            return httpx2.URL(f"http://{entry.rstrip('.')}/").raw_host.decode("ascii").lower()
    raise Refused(
        "bad_setting",
        f"TRIVIUM_URL_{which} has {entry[:80]!r}, which is no host.",
        "Write hosts (wiki.local), domains (*.example.org) or networks (10.0.0.0/8), separated by commas.",
    )
