import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type SmallMachine, smallMachine } from '../../../../../test/flexnode/small-steps.ts';
import { openJournal } from '../engine/journal.ts';
import type { OwningHost } from '../step.ts';
import { createOwningHost } from './recording-host.ts';

let machine: SmallMachine;
let host: OwningHost;
let kept: string[];
beforeEach(async () => {
  machine = smallMachine();
  kept = [];
  const base = machine.parts().host;
  const onKept = (path: string, copy: string) =>
    void kept.push(`${path}: ${readFileSync(machine.root + copy, 'utf8')}`);
  host = createOwningHost({ base, journal: await openJournal(base), step: 'kubelet', onKept });
});
afterEach(() => machine.dispose());

const FILE = '/var/lib/kubelet/config.yaml';

describe('a file that was edited by hand', () => {
  test('is copied before it is replaced, also below a directory that others fill', async () => {
    await host.claim('/var/lib/kubelet');
    await host.writeFile(FILE, 'ours', { mode: 0o644 });
    writeFileSync(machine.root + FILE, 'edited');
    await host.writeFile(FILE, 'ours, new', { mode: 0o644 });
    expect(kept).toEqual([`${FILE}: edited`]);
  });

  test('is not copied if the file itself is filled by others', async () => {
    await host.claim('/var/lib/kubelet/kubeconfig');
    await host.writeFile('/var/lib/kubelet/kubeconfig', 'ours', { mode: 0o600 });
    writeFileSync(`${machine.root}/var/lib/kubelet/kubeconfig`, 'of the kubelet');
    await host.remove('/var/lib/kubelet/kubeconfig');
    expect(kept).toEqual([]);
  });
});
