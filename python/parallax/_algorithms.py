"""A method for each algorithm; _algorithms.pyi has their signatures."""

from __future__ import annotations

import functools
from typing import Any

_OPTIONS = ("outputs", "into", "variant", "policy", "wait", "cancel")


class AlgorithmCalls:
    _algorithms: dict[str, dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        algorithm = self.__dict__.get("_algorithms", {}).get(name)
        if algorithm is None:
            raise AttributeError(f"{type(self).__name__} has no attribute or algorithm {name!r}")
        run = functools.partial(self._call_algorithm, algorithm)
        run.__doc__ = _doc(algorithm)
        return run

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._algorithms})

    def _call_algorithm(self, algorithm: dict[str, Any], *arrays: Any, **named: Any) -> Any:
        ports = [port["name"] for port in algorithm["inputs"]]
        required = [port["name"] for port in algorithm["inputs"] if port["required"]]
        if len(arrays) > len(required):
            raise TypeError(f"{algorithm['name']}() takes {len(required)} arrays in order ({', '.join(required)}) "
                            f"but {len(arrays)} were given")
        inputs = dict(zip(required, arrays))
        for port in ports:
            if port in named:
                if port in inputs:
                    raise TypeError(f"{algorithm['name']}() got {port!r} twice")
                given = named.pop(port)
                if given is not None:
                    inputs[port] = given
        options = {name: named.pop(name) for name in _OPTIONS if named.get(name) is not None or name in named}
        if options.get("wait") is None:
            options.pop("wait", None)
        return self.call(algorithm["name"], inputs, named, **options)


def _doc(algorithm: dict[str, Any]) -> str:
    lines = [algorithm["summary"] + ".", ""]
    for title in ("inputs", "outputs"):
        for port in algorithm[title]:
            lines.append(f"{title[:-1]} {port['name']}{'' if port['required'] else ' (optional)'}: {port['doc']}")
    for parameter in algorithm["parameters"]:
        standard = "(required)" if parameter["required"] else f"= {parameter['default']!r}"
        lines.append(f"{' or '.join(parameter['keys'])} {standard}: {parameter['doc']}")
    return "\n".join(lines)
