/** A fake machine with files and command results, for tests of read-only code. Records every command. */
import type { Command, CommandResult, FileInfo, Host } from '../host/host.ts';

export interface FakeHostOptions {
  readonly files?: Readonly<Record<string, string>>;
  /** By the beginning of the command line, the longest first: `systemctl is-active docker`. */
  readonly commands?: Readonly<
    Record<string, Partial<CommandResult> | ((command: Command) => Partial<CommandResult>)>
  >;
  readonly freeBytes?: number;
}

export interface FakeHost extends Host {
  readonly files: Map<string, string>;
  /** Command lines, in order. */
  readonly ran: string[];
  /** Of those, the ones that change the machine. */
  readonly changed: Command[];
}

export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const files = new Map(Object.entries(options.files ?? {}));
  const modes = new Map<string, number>();
  const ran: string[] = [];
  const changed: Command[] = [];
  const answers = Object.entries(options.commands ?? {}).sort(([one], [other]) => other.length - one.length);
  const refuse = () => Promise.reject(new Error('this machine only looks'));
  return {
    files,
    ran,
    changed,
    readFile: async (path) => (files.has(path) ? Buffer.from(files.get(path)!) : undefined),
    lstat: async (path) => info(files, modes, path),
    list: async (path) => [
      ...new Set(
        [...files.keys()]
          .filter((each) => each.startsWith(`${path}/`))
          .map((each) => each.slice(path.length + 1).split('/')[0]!),
      ),
    ],
    freeBytes: async () => options.freeBytes ?? 50e9,
    writeFile: async (path, content, { mode }) => {
      files.set(path, Buffer.from(content).toString('utf8'));
      modes.set(path, mode);
    },
    writeStream: refuse,
    makeDirectory: async () => undefined,
    symlink: refuse,
    rename: refuse,
    chmod: refuse,
    remove: async (path) => void files.delete(path),
    removeTree: refuse,
    run: async (command) => {
      const line = command.argv.join(' ');
      ran.push(line);
      if (command.changes) changed.push(command);
      const [, answer] = answers.find(([words]) => line === words || line.startsWith(`${words} `)) ?? [];
      if (answer === undefined) return { exitCode: command.changes ? 0 : 127, stdout: '', stderr: '' };
      const given = typeof answer === 'function' ? answer(command) : answer;
      return { exitCode: 0, stdout: '', stderr: '', ...given };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function info(
  files: ReadonlyMap<string, string>,
  modes: ReadonlyMap<string, number>,
  path: string,
): FileInfo | undefined {
  const content = files.get(path);
  const base = { uid: 0, gid: 0 };
  if (content !== undefined) {
    return { ...base, kind: 'file', mode: modes.get(path) ?? 0o644, size: Buffer.byteLength(content) };
  }
  const isFolder = [...files.keys()].some((each) => each.startsWith(`${path}/`));
  return isFolder ? { ...base, kind: 'directory', mode: 0o755, size: 0 } : undefined;
}
