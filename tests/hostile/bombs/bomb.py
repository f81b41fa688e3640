"""One file that costs a reader without limits much."""

MB = 1 << 20


class Bomb:
    """declared: bytes of the array that the file says it holds, and may; 0 where it must be refused. holes: bytes of nothing
    behind `make`'s. raw: how the job says that the bytes lie. ns: of processor time that a declared byte may take."""

    def __init__(self, name, make, declared=0, holes=0, raw=None, says=None, ns=150):
        self.name, self.make, self.declared, self.holes = name, make, declared, holes
        self.raw, self.says, self.ns = raw, says, ns
