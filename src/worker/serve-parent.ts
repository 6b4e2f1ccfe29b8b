interface Message {
  readonly type: string;
}

type Work<Task, From> = (task: Task) => Promise<From>;

/**
 * The whole life of a process that a server has started as a `WorkProcess`: it does what it is told, one thing at a
 * time, and ends with its server. The first message is `open`, `stop` ends what is under way, all others are work.
 */
export function serveParent<Open extends Message, Task extends Message, From extends Message>(
  name: string,
  start: (message: Open, isStopped: () => boolean) => Promise<Work<Task, From>>,
): void {
  let isStopped = false;
  let work: Work<Task, From> | undefined;

  // A terminal or a supervisor signals the whole group; the server decides.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  // Whatever is under way is not committed: the graph stays as it was.
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: Message) => {
    if (message.type === 'stop') isStopped = true;
    else if (message.type === 'open') {
      start(message as Open, () => isStopped).then(
        (opened) => {
          work = opened;
          tellParent({ type: 'ready' });
        },
        (error: unknown) => {
          process.stderr.write(`kennel: ${name} could not start: ${String(error)}\n`);
          process.exit(1);
        },
      );
    } else {
      isStopped = false;
      work?.(message as Task).then(tellParent);
    }
  });
}

export function tellParent(message: Message): void {
  if (process.connected) process.send?.(message);
}

/** Lets a few words a second through, so that telling them costs nothing. */
export function nowAndThen<Word>(everyMs: number, tell: (word: Word) => void): (word: Word) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (word) => {
    const now = performance.now();
    if (now - toldAt < everyMs) return;
    toldAt = now;
    tell(word);
  };
}
