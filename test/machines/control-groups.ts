/**
 * The control groups of one machine. With control groups of the first version systemd-nspawn leaves its machine in the groups of
 * its caller: two machines would share them, and each systemd would take them for its own.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

export class ControlGroups {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** Arguments of `sh`: it enters the groups, and then runs the command that follows. */
  entering(): readonly string[] {
    const script = [
      `for each in ${hierarchies().join(' ')}; do`,
      `mkdir -p $each/${this.#name};`,
      // A new group of cpuset has no CPUs and no memory: nothing could enter it.
      `for file in cpuset.cpus cpuset.mems; do if [ -e $each/$file ]; then cat $each/$file > $each/${this.#name}/$file; fi; done;`,
      `echo $$ > $each/${this.#name}/cgroup.procs;`,
      'done; exec "$@"',
    ];
    return ['-ec', script.join(' '), 'sh'];
  }

  /** What the machine left of them; processes in them have ended. */
  remove(): void {
    for (const hierarchy of hierarchies()) removeTree(join(hierarchy, this.#name));
  }
}

// ---------------------------------------------------------------------------------------------------

/** The first version has one for each controller. The second is one for all, and nspawn makes a group in it by itself. */
function hierarchies(): readonly string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, path = '', type]) => (type === 'cgroup' || type === 'cgroup2') && path.startsWith(`${ROOT}/`))
    .map(([, path]) => path!);
}

function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  try {
    rmdirSync(folder);
  } catch {
    // A process of it is still ending: the group is empty then, and costs nothing.
  }
}
