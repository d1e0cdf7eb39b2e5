/**
 * The machine as the steps see it: files and commands. Paths are absolute paths of the machine; an implementation may add
 * a root prefix. There are three implementations: the real host, one that records the previous state so that it can be
 * restored, and one that only records the changes (dry run).
 */

export interface Host {
  /** Returns `undefined` if the file does not exist. Throws a `FlexError` if it cannot be read. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Reads in chunks, for large files; hosts without it use `readFile`. */
  readStream?(path: string): AsyncIterable<Uint8Array>;
  /** Whether two files hold the same bytes; see `same-content.ts` for hosts that have none. */
  sameContent?(one: string, other: string): Promise<boolean>;
  /** Does not follow a link. */
  lstat(path: string): Promise<FileInfo | undefined>;
  /** Names in a directory, sorted by code unit; empty when there is none. */
  list(path: string): Promise<readonly string[]>;
  /** Bytes free for root on the file system that holds the path (or its nearest parent that exists). */
  freeBytes(path: string): Promise<number>;

  /** Writes atomically: temporary file, sync, rename. Does nothing if content and mode are already the same. */
  writeFile(path: string, content: string | Uint8Array, options: { readonly mode: number }): Promise<void>;
  /** Streams bytes to a file, or to its end with `append`; not atomic. Only for downloads in the directory of the agent. */
  writeStream(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    options: { readonly mode: number; readonly append: boolean },
  ): Promise<void>;
  /** Creates a directory with its parents (0755). An existing directory keeps its content; its mode is set if `mode` differs. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Replaces what is there, in one step. */
  symlink(target: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  /** Removes a file, a link or an empty directory, if it exists. */
  remove(path: string): Promise<void>;
  /** Removes a directory recursively, but never across a mount point. */
  removeTree(path: string): Promise<void>;

  run(command: Command): Promise<CommandResult>;
}

export interface FileInfo {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** Only the permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Of a link. */
  readonly target?: string;
}

export interface Command {
  /** Program and arguments; runs without a shell. Must not contain secrets. */
  readonly argv: readonly [string, ...string[]];
  /** Added to a minimal fixed environment (PATH, LANG, HOME); the environment of the agent is not inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** `true` if the command changes the machine; a dry run prints it and does not run it. */
  readonly changes: boolean;
  /** The result that a dry run assumes; by default exit code 0 and no output. */
  readonly pretend?: Partial<CommandResult>;
  /** The result that a dry run assumes if there is no such program, as with a root prefix. */
  readonly withoutProgram?: Partial<CommandResult>;
  /** Its output goes to the operator's terminal as it comes, and it may ask (device-code login). */
  readonly interactive?: boolean;
  /** Ends the command, as its timeout does. */
  readonly signal?: AbortSignal;
}

export interface CommandResult {
  /** 127 if the command was not found, 124 if it timed out. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}
