/** The parameters of the kernel that a kubelet sets when it starts. They belong to no namespace: what runs below would keep them. */
import { readFileSync, writeFileSync } from 'node:fs';

const NAMES = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
];

export class KernelParameters {
  readonly #before = NAMES.map((name) => [name, readParameter(name)] as const);

  /** As they were when this was made. */
  restore(): void {
    for (const [name, value] of this.#before)
      if (value !== undefined && value !== readParameter(name)) writeFileSync(fileOf(name), value);
  }
}

// ---------------------------------------------------------------------------------------------------

const fileOf = (name: string) => `/proc/sys/${name}`;

/** Undefined: this kernel does not have it. */
function readParameter(name: string): string | undefined {
  try {
    return readFileSync(fileOf(name), 'utf8');
  } catch {
    return undefined;
  }
}
