"""The compile worker: a process that has torch loaded and warm, and forks for each job.

The kernel starts it and talks to it through its standard input and output
(`messages`). It is single-threaded, so that forking is safe, and ends when its
input does.

================  ====================================================
to it             ``{"kind": "build", "job": n, ...}`` (see `compile_job`),
                  ``{"kind": "cancel", "job": n}``, ``{"kind": "ping"}``
from it           ``ready``, ``started`` (job, pid), ``phase`` (job, phase),
                  ``done`` (job, seconds), ``failed`` (job, error),
                  ``ended`` (job), ``broken`` (error), ``idle``, ``here``
================  ====================================================
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import secrets
import select
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime import compile_job
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_folder import make_folder
from jupyter_npcompile.runtime.compile_job import Builder
from jupyter_npcompile.runtime.lifeline import die_with_parent, go_on_with_reader_gone, kill_group
from jupyter_npcompile.runtime.messages import Inbox, Message, send

IDLE = 1800.0
"""Seconds without a job after which the worker gives its memory back, and ends."""

CALM = 1.0
"""Seconds without a job, after one, before what makes later ones shorter is done."""

MARK = "complete"
"""A file that says that a folder is complete."""


REMOVING = (0.001, 0.01, 0.1)
"""Seconds between attempts at removing a folder."""


@dataclass
class Running:
    """A job that runs.

    Parameters
    ----------
    number : int or None
        Which; None is what the worker does by itself, and tells nobody.
    pid : int
        Its process, and process group.
    inbox : Inbox
        What it says.
    folder : Path
        Its temporary files.
    answered : bool
        Whether it has said how it went.
    """

    number: int | None
    pid: int
    inbox: Inbox
    folder: Path
    answered: bool = False


class Worker:
    """The worker.

    Parameters
    ----------
    cache : Cache
        Where temporary files and what the compiler remembers go.
    reading, writing : int
        The pipes from and to the kernel.
    name : str
        What the names of its temporary folders begin with: nobody else has it.
    """

    def __init__(self, cache: Cache, reading: int, writing: int, name: str) -> None:
        self.cache = cache
        self.name = name
        self.inbox = Inbox(reading)
        self.writing = writing
        self.running: dict[int | None, Running] = {}
        self._has_worked = False
        self._chore: Callable[[Path], None] | None = None  # until it is done
        self._builder: Builder | None = None
        self._lock = -1
        self._folders: set[Path] = set()

    # -- getting ready

    def prepare(self, module: str, compiler: str) -> None:
        """Import the compiler, and compile once for the sake of what that leaves behind.

        Parameters
        ----------
        module : str
            See `Builder.of`.
        compiler : str
            The name of the folder for what is found out: see `stamp.compiler_key`.
        """
        self.cache.prepare()
        folder = make_folder(self.cache.compiler / compiler)
        self._lock = os.open(folder, os.O_RDONLY)  # held while we live: it is in use
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        os.utime(folder)
        builder = self._builder = Builder.of(module, folder)
        self._chore = builder.rest
        aside = self._scratch(self.cache.jobs)
        with _complete(make_folder(builder.headers)) as found:
            compile_job.put_files(aside, found)
            # If it fails, so will the jobs, and they say why.
            with contextlib.suppress(Exception):
                builder.probe()
                compile_job.put_files(aside, aside)
                builder.store_support(self.cache)
                if builder.example is not None:
                    builder.build(builder.example(), aside, found, lambda phase: None)
        self._remove(aside)
        self.say({"kind": "ready", "pid": os.getpid()})

    # -- jobs

    def serve(self) -> None:
        """Do what the kernel asks until it is gone."""
        while True:
            pipes = [self.inbox.descriptor, *(job.inbox.descriptor for job in self._jobs())]
            chore = self._chore if self._has_worked else None
            patience = CALM if chore is not None else IDLE
            ready, _, _ = select.select(pipes, [], [], None if self.running else patience)
            if not ready and chore is not None:
                self._rest(chore)
                continue
            if not ready:
                self.say({"kind": "idle"})
                return
            for job in self._jobs():
                if job.inbox.descriptor in ready:
                    self._hear(job)
            if self.inbox.descriptor in ready:
                requests = self.inbox.read()
                if requests is None:
                    return
                for request in requests:
                    self._obey(request)

    def _jobs(self) -> list[Running]:
        return list(self.running.values())

    def say(self, message: Message) -> None:
        """Tell the kernel; when it is gone, its end of the other pipe says so too."""
        with contextlib.suppress(BrokenPipeError):
            send(self.writing, message)

    def _obey(self, request: Message) -> None:
        if request["kind"] == "build":
            self._start(request)
        elif request["kind"] == "ping":
            self.say({"kind": "here"})
        elif request["kind"] == "cancel" and request["job"] in self.running:
            job = self.running[request["job"]]
            job.answered = True
            kill_group(job.pid)

    def _rest(self, chore: Callable[[Path], None]) -> None:
        assert self._builder is not None
        self._chore, headers = None, self._builder.headers
        with contextlib.suppress(OSError), _to_the_end():  # the next job says what is wrong
            folder = self._scratch(self.cache.jobs)
            self._fork(None, folder, lambda _: compile_job.rest(chore, headers, folder))

    def _start(self, request: Message) -> None:
        with _to_the_end():
            self._begin(request)

    def _begin(self, request: Message) -> None:
        assert self._builder is not None
        number, builder = request["job"], self._builder
        try:
            folder = self._scratch(Cache(Path(request["root"])).jobs)
        except Exception as error:
            reason = compile_job.explain(error, Path(request["root"]))
            self.say({"kind": "failed", "job": number, "error": reason})
            return
        pid = self._fork(number, folder, lambda to: compile_job.run(request, builder, folder, to))
        self.say({"kind": "started", "job": number, "pid": pid})

    def _fork(self, number: int | None, folder: Path, work: Callable[[int], None]) -> int:
        reading, writing = os.pipe()
        worker = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._run(work, writing, worker)
        with contextlib.suppress(OSError):  # it has done so itself
            os.setpgid(pid, pid)
        os.close(writing)
        self.running[number] = Running(number, pid, Inbox(reading), folder)
        return pid

    def _run(self, work: Callable[[int], None], channel: int, worker: int) -> None:
        """What the forked process does."""
        try:
            die_with_parent(signal.SIGKILL, worker)
            for descriptor in (self.inbox.descriptor, self.writing, self._lock):
                os.close(descriptor)
            work(channel)
        except BaseException:
            import traceback

            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)

    def _hear(self, job: Running) -> None:
        """Pass on what a job says, or notice that it has ended."""
        messages = job.inbox.read()
        if messages is not None:
            for message in messages:
                job.answered = job.answered or message["kind"] in ("done", "failed")
                self.say({**message, "job": job.number})
            return
        _, status = os.waitpid(job.pid, 0)
        kill_group(job.pid)  # what it started may still run
        os.close(job.inbox.descriptor)
        del self.running[job.number]
        if job.number is None:
            self._remove(job.folder)
            return
        self._has_worked = True
        if not job.answered:
            text = _end(status, job.folder / "log")
            error = {"type": "failure", "name": "the compiler crashed", "text": text}
            self.say({"kind": "failed", "job": job.number, "error": error})
        self.say({"kind": "ended", "job": job.number})
        self._remove(job.folder)

    def _scratch(self, jobs: Path) -> Path:
        """Make a folder for temporary files, of which `stop` knows before it is there."""
        folder = make_folder(jobs) / f"{self.name}-{secrets.token_hex(8)}"
        self._folders.add(folder)
        return make_folder(folder)

    def _remove(self, folder: Path) -> None:
        # What was killed may be about to write one more file.
        for pause in (0.0, *REMOVING):
            time.sleep(pause)
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
        self._folders.discard(folder)

    def stop(self) -> None:
        """Leave nothing behind."""
        for job in self._jobs():
            kill_group(job.pid)
            with contextlib.suppress(ChildProcessError):  # it was heard of already
                os.waitpid(job.pid, 0)
        for folder in list(self._folders):
            self._remove(folder)
        if self.cache.temporary:
            shutil.rmtree(self.cache.root, ignore_errors=True)


@contextlib.contextmanager
def _to_the_end() -> Iterator[None]:
    """Let nobody end us meanwhile: who did would know nothing of the job that begins."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


@contextlib.contextmanager
def _complete(folder: Path) -> Iterator[Path]:
    """Hand out a folder of what was found out about this machine, and its compiler.

    It takes seconds to fill, once. A worker that is killed meanwhile may leave
    half a file, which the compiler would take for a whole one. So it counts
    only with a mark that is set last; until then one worker at a time fills it.
    """
    mark = folder / MARK
    if mark.exists():
        yield folder
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not mark.exists():
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        yield folder
        mark.touch(mode=0o600)
    finally:
        os.close(descriptor)


def _end(status: int, log: Path) -> str:
    """How a process ended, in words."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"signal {number} ({signal.strsignal(number)})"
    with contextlib.suppress(OSError):
        lines = log.read_text(errors="replace").strip().splitlines()
        if lines:
            return lines[-1]
    return f"exit status {os.waitstatus_to_exitcode(status)}"


def main() -> None:
    """Run the worker; its only argument is JSON: see `CompileWorker`."""
    options: dict[str, Any] = json.loads(sys.argv[1])
    # Whatever is printed must not get between the messages.
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    warnings.simplefilter("ignore")
    cache = Cache(Path(options["root"]), temporary=options["temporary"])
    worker = Worker(cache, reading, writing, options["name"])

    def end(number: int, frame: FrameType | None) -> None:
        worker.stop()
        kill_group(0)  # ourselves, and what we run to get warm

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    go_on_with_reader_gone(options["lifeline"])
    die_with_parent(signal.SIGTERM, options["parent"])
    try:
        worker.prepare(options["module"], options["compiler"])
    except Exception as error:
        worker.say({"kind": "broken", "error": compile_job.explain(error, cache.root)})
        worker.stop()
        return
    gc.collect()
    gc.freeze()  # what is there already is not touched, and so not copied, by the jobs
    worker.serve()
    worker.stop()
    os._exit(0)  # without torch's own farewells


if __name__ == "__main__":
    main()
