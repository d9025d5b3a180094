"""Filters of system calls that a process puts over itself for good: no socket but those between processes, no binding.

They need no privilege (seccomp(2): a classic BPF program, once `no_new_privs` is set), and children inherit them. They
hold on x86-64 and on 64-bit ARM. Where sockets are refused, a call by another machine's numbers (32 bits) ends the
process.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct
import sys
from collections.abc import Callable
from typing import Final

import msgspec

# linux/prctl.h, linux/seccomp.h, linux/bpf_common.h, linux/audit.h
_PR_SET_NO_NEW_PRIVS: Final = 38
_SET_MODE_FILTER: Final = 1
_ALL_THREADS: Final = 1  # SECCOMP_FILTER_FLAG_TSYNC: libraries start threads when they are imported
_SPECULATE: Final = 4  # SECCOMP_FILTER_FLAG_SPEC_ALLOW: before Linux 5.16 a filter made all memory reads slower
_KILL_PROCESS, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16  # of struct seccomp_data; the argument's low half
_INSTRUCTION: Final = "=HBBI"  # struct sock_filter: code, jumps if true and if false, operand
_X32: Final = 0x40000000  # numbers from here on are x86-64's 32-bit pointers


class _Machine(msgspec.Struct, frozen=True):
    """Its AUDIT_ARCH, and the numbers of the calls that are looked at (asm/unistd.h)."""

    arch: int
    seccomp: int
    socket: int
    socketpair: int
    mbind: int
    sched_setaffinity: int
    io_uring_setup: int = 425  # a ring opens sockets without a call


_MACHINES: Final = {
    "x86_64": _Machine(0xC000003E, seccomp=317, socket=41, socketpair=53, mbind=237, sched_setaffinity=203),
    "aarch64": _Machine(0xC00000B7, seccomp=277, socket=198, socketpair=199, mbind=235, sched_setaffinity=122),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def refuse_sockets() -> bool:
    """All threads of this process, and its children, open no socket but AF_UNIX from now on: EACCES.

    False where the system has no such filter, or does not permit it; then nothing has changed.
    """
    return _install(_no_sockets, _ALL_THREADS)


def refuse_binding() -> bool:
    """No thread of this process or its children is bound to a processor, or memory to a NUMA node, from now on: EPERM.

    `mbind(2)` with `MPOL_MF_MOVE` waits for a kernel thread on every processor, also where there is but one node, and
    `sched_setaffinity(2)` for a turn on the named one. Beside a process that is bound to a processor and busy (vLLM on
    the same machine) either was waited for three minutes. False as in `refuse_sockets`.
    """
    return _install(_no_binding, _ALL_THREADS | _SPECULATE)


def _install(code_for: Callable[[_Machine], bytes], flags: int) -> bool:
    machine = _MACHINES.get(platform.machine()) if sys.platform == "linux" else None
    if machine is None:
        return False
    code = code_for(machine)
    program = _Program(len(code) // struct.calcsize(_INSTRUCTION), code)
    libc, word = ctypes.CDLL(None), ctypes.c_ulong
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, word(1), word(0), word(0), word(0)) != 0:
        return False
    number = ctypes.c_long(machine.seccomp)
    return bool(libc.syscall(number, word(_SET_MODE_FILTER), word(flags), ctypes.byref(program)) == 0)


def _no_sockets(machine: _Machine) -> bytes:
    return _assembled(
        (_LOAD, 0, 0, _MACHINE_AT),
        (_IF_EQUAL, 1, 0, machine.arch),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_IF_AT_LEAST, 6, 0, _X32),
        (_IF_EQUAL, 5, 0, machine.io_uring_setup),
        (_IF_EQUAL, 1, 0, machine.socket),
        (_IF_EQUAL, 0, 2, machine.socketpair),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_IF_EQUAL, 0, 2, socket.AF_UNIX),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_RETURN, 0, 0, _ERRNO | errno.EACCES),
    )


def _no_binding(machine: _Machine) -> bytes:
    """It keeps a habit of a library, not an attacker: calls by another machine's numbers are let through."""
    return _assembled(
        (_LOAD, 0, 0, _MACHINE_AT),
        (_IF_EQUAL, 0, 4, machine.arch),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_IF_EQUAL, 1, 0, machine.mbind),
        (_IF_EQUAL, 0, 1, machine.sched_setaffinity),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    )


def _assembled(*instructions: tuple[int, int, int, int]) -> bytes:
    """Jumps count the instructions that are left out."""
    return b"".join(struct.pack(_INSTRUCTION, *instruction) for instruction in instructions)
