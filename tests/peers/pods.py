"""Pods without a container engine: the processes of rendered manifests, started as the manifests say.

Each has the command, environment, files, user, scratch folders and read-only root that its container would have, no
privilege, and a network of its pods alone, in which services are found by name and nothing outside is but the named
ports of this machine. Its image is this checkout. It needs root, for namespaces of mounts and of the network.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from waiting import wait_until

BIN = Path(sys.executable).parent
GRPC_CHECK = """
import sys, grpc
from grpc_health.v1 import health_pb2 as health, health_pb2_grpc as stubs
with grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}") as channel:
    answer = stubs.HealthStub(channel).Check(health.HealthCheckRequest(), timeout=float(sys.argv[2]))
sys.exit(answer.status != health.HealthCheckResponse.SERVING)
"""


class Pods:
    """The pods of one namespace. `objects` are those of an installation, `folder` takes their files and output."""

    def __init__(self, objects: Sequence[Mapping[str, Any]], folder: Path, open_ports: Sequence[int]) -> None:
        self._objects = objects
        self.folder = folder
        self.running: dict[str, Pod] = {}
        script = [sys.executable, str(Path(__file__).with_name("pod_network.py"))]
        self._network = subprocess.Popen([*script, *map(str, open_ports)], stdout=subprocess.PIPE, text=True)
        assert self._network.stdout
        assert self._network.stdout.readline() == "ready\n"
        names = [item["metadata"]["name"] for item in objects if item["kind"] == "Service"]
        self._hosts = folder / "hosts"
        self._hosts.write_text("127.0.0.1 localhost " + " ".join(names) + "\n")

    def start(self, workload: str) -> Pod:
        """Start the one container of a Deployment or Job; nothing is waited for."""
        self.running[workload] = pod = Pod(workload, self._spec(workload), self)
        return pod

    def run(self, name: str, limit_s: float = 120.0) -> str:
        """A Job's or a CronJob's whose name begins so, to its end; what it said. Raises `AssertionError`."""
        names = [item["metadata"]["name"] for item in self._objects if item["kind"] in ("Job", "CronJob")]
        pod = self.start(next(found for found in names if found.startswith(name)))
        status = pod.process.wait(limit_s)
        assert status == 0, f"{name} ended with {status}:\n{pod.log()}"
        return pod.log()

    def enter(self) -> list[str]:
        """The beginning of a command that runs in the pods' network."""
        return ["nsenter", f"--net=/proc/{self._network.pid}/ns/net"]

    def end(self) -> None:
        for pod in self.running.values():
            if pod.process.poll() is None:
                pod.kill()
        self._network.kill()
        self._network.wait(10)
        if self._network.stdout:
            self._network.stdout.close()

    def named(self, kind: str, name: str) -> Mapping[str, Any]:
        """The object of the manifests. Raises `KeyError`, as a cluster would refuse to start the pod."""
        for item in self._objects:
            if item["kind"] == kind and item["metadata"]["name"] == name:
                return item
        raise KeyError(f"{kind}/{name}")

    def hosts(self) -> Path:
        return self._hosts

    def _spec(self, workload: str) -> Mapping[str, Any]:
        for item in self._objects:
            if item["metadata"]["name"] == workload and item["kind"] in ("Deployment", "Job", "CronJob"):
                of = item["spec"]["jobTemplate"] if item["kind"] == "CronJob" else item
                spec: Mapping[str, Any] = of["spec"]["template"]["spec"]
                return spec
        raise KeyError(workload)


class Pod:
    """One container, and what a kubelet would do to it."""

    def __init__(self, name: str, spec: Mapping[str, Any], pods: Pods) -> None:
        self.name = name
        self._pods = pods
        self._spec = spec
        (self.container,) = spec["containers"]
        self._log = pods.folder / f"{name}.log"
        mounts = [f"mount --bind {shlex.quote(str(pods.hosts()))} /etc/hosts", *self._interpreter(), *self._volumes()]
        script = "\n".join(
            ["set -e", "mount --make-rprivate /", *mounts, _READ_ONLY, self._exec(self.container["command"])]
        )
        environment = {"PATH": f"{BIN}:/usr/bin:/bin", "PYTHONUNBUFFERED": "1", **self._environment()}
        with self._log.open("ab") as output:
            self.process = subprocess.Popen(
                [*pods.enter(), "unshare", "--mount", "sh", "-c", script], env=environment, stdout=output, stderr=output
            )

    def wait_until_ready(self) -> float:
        """The startup probe, then the readiness probe, as often as they allow; the seconds that took."""
        started = time.monotonic()
        for kind in ("startupProbe", "readinessProbe"):
            probe = self.container[kind]
            limit_s = float(probe["periodSeconds"] * probe["failureThreshold"])
            wait_until(
                lambda probe=probe: self.probe(probe),  # type: ignore[misc]
                f"{self.name} passes its {kind}",
                limit_s=limit_s,
                told=self.log,
                pause_s=min(0.5, probe["periodSeconds"]),
            )
        return time.monotonic() - started

    def probe(self, probe: Mapping[str, Any]) -> bool:
        """Whether it passes once. Raises `AssertionError` when the process has ended."""
        assert self.process.poll() is None, f"{self.name} ended with {self.process.returncode}:\n{self.log()}"
        limit = str(probe.get("timeoutSeconds", 1))
        if http := probe.get("httpGet"):
            url = f"http://127.0.0.1:{self.port(http['port'])}{http['path']}"
            command = ["curl", "--silent", "--fail", "--output", "/dev/null", "--max-time", limit, url]
        elif grpc := probe.get("grpc"):
            command = [sys.executable, "-c", GRPC_CHECK, str(grpc["port"]), limit]
        else:
            return self.run(probe["exec"]["command"], float(limit)) == 0
        return subprocess.run([*self._pods.enter(), *command], check=False, capture_output=True).returncode == 0

    def run(self, command: Sequence[str], limit_s: float = 60.0) -> int:
        """As `kubectl exec` would; the exit status."""
        inside = ["nsenter", f"--target={self.process.pid}", "--mount", "--net", *_as_user(self._user()), *command]
        with suppress(subprocess.TimeoutExpired):
            return subprocess.run(inside, check=False, capture_output=True, timeout=limit_s).returncode
        return 124

    def stop(self) -> float:
        """preStop, SIGTERM, and an end within the grace period; the seconds from SIGTERM to the end."""
        started = time.monotonic()
        if before := self.container.get("lifecycle", {}).get("preStop"):
            assert self.run(before["exec"]["command"]) == 0
        told = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(self._spec["terminationGracePeriodSeconds"] - (told - started))
            return time.monotonic() - told
        self.kill()
        raise AssertionError(f"{self.name} did not end in its grace period:\n{self.log()}")

    def kill(self) -> None:
        with suppress(psutil.NoSuchProcess):
            for process in [
                *psutil.Process(self.process.pid).children(recursive=True),
                psutil.Process(self.process.pid),
            ]:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        self.process.wait(30)

    def resident_bytes(self) -> int:
        """Of the process and its children."""
        own = psutil.Process(self.process.pid)
        return sum(process.memory_info().rss for process in [own, *own.children(recursive=True)])

    def status(self, field: str) -> str:
        """A line of the kernel's on the process: Uid, CapEff, NoNewPrivs, ..."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith(f"{field}:"))

    def port(self, named: str | int) -> int:
        if isinstance(named, int):
            return named
        found: int = next(port["containerPort"] for port in self.container["ports"] if port["name"] == named)
        return found

    def log(self) -> str:
        return self._log.read_text()[-4000:]

    def _user(self) -> int:
        user: int = self._spec["securityContext"]["runAsUser"]
        return user

    def _exec(self, command: Sequence[str]) -> str:
        return f"exec {shlex.join([*_as_user(self._user()), *command])}"

    def _environment(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for source in self.container.get("envFrom", []):
            found |= self._pods.named("ConfigMap", source["configMapRef"]["name"])["data"]
        return found | {variable["name"]: variable["value"] for variable in self.container.get("env", [])}

    def _volumes(self) -> Iterator[str]:
        volumes = {volume["name"]: volume for volume in self._spec["volumes"]}
        mounts = [(volumes[mount["name"]], mount["mountPath"]) for mount in self.container["volumeMounts"]]
        yield "mount -t tmpfs none /run"
        for volume, path in sorted(mounts, key=lambda each: "emptyDir" in each[0]):  # our own files may lie in /tmp
            if "emptyDir" in volume:
                yield f"mount -t tmpfs -o mode=1777 none {path}"
            else:
                yield f"mkdir -p {path} && mount --bind {self._files(volume)} {path}"

    def _files(self, volume: Mapping[str, Any]) -> str:
        """A folder with what a Secret or a ConfigMap holds."""
        source = volume.get("secret") or volume["configMap"]
        name = source.get("secretName") or source["name"]
        held = self._pods.named("Secret" if "secret" in volume else "ConfigMap", name)
        folder = self._pods.folder / f"{self.name}-{name}"
        folder.mkdir(exist_ok=True)
        for item in source["items"]:
            path = folder / item["path"]
            path.write_text((held.get("stringData") or held["data"])[item["key"]])
            path.chmod(source.get("defaultMode", 0o644))
            os.chown(path, 0, self._spec["securityContext"]["fsGroup"])
        folder.chmod(0o755)
        return str(folder)

    def _interpreter(self) -> Iterator[str]:
        """Where only root may look into the folder that Python lies in, it is mounted anew without its neighbours."""
        base = Path(sys.base_prefix)
        closed = [folder for folder in reversed(base.parents) if not folder.stat().st_mode & 0o001]
        if closed:
            yield f"mount --bind {base} /mnt && mount -t tmpfs -o mode=755 none {closed[0]}"
            yield f"mkdir -p {base} && mount --move /mnt {base}"


_READ_ONLY = (
    'awk \'$3 != "proc" && $3 != "sysfs" && $3 !~ /^cgroup/ && $2 !~ "^/(dev|tmp)" {print $2}\' /proc/self/mounts'
    ' | while read m; do mount -o remount,bind,ro "$m" 2>/dev/null; done; cd /tmp'
)


def _as_user(user: int) -> list[str]:
    dropped = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *dropped]


@contextmanager
def pods(objects: Sequence[Mapping[str, Any]], folder: Path, open_ports: Sequence[int]) -> Iterator[Pods]:
    """The pods of `objects`, none of which is started; they are gone at the end."""
    folder.chmod(0o755)
    made = Pods(objects, folder, open_ports)
    try:
        yield made
    finally:
        made.end()
