/**
 * Installs both charts on a real cluster, with an identity of its own in a simulated cloud (the argument), and looks at what people
 * look at. `run.ts` makes the network and the process IDs in which it runs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Suite } from '../dist/suite.ts';
import { startInstallAws } from './aws.ts';
import { startInstallAzure } from './azure.ts';
import { startInstallCluster } from './cluster.ts';
import { ARCHIVES } from './images.ts';
import { Installation } from './installation.ts';
import { playInstallation } from './story.ts';

const suite = new Suite();
const folder = mkdtempSync(join(tmpdir(), 'chandler-install-'));
const ends: (() => Promise<void>)[] = [];
try {
  let installation: Installation | undefined;
  await suite.step('a control plane, two machines in two zones, and a simulated cloud', async () => {
    const cluster = await startInstallCluster(folder, ARCHIVES, ends);
    const cloud = await (process.argv[2] === 'aws' ? startInstallAws(cluster) : startInstallAzure(cluster));
    ends.push(() => cloud.stop());
    installation = new Installation(cluster, cloud);
  });
  if (installation !== undefined) await playInstallation(suite, installation);
} finally {
  await suite.step('everything is stopped', async () => {
    for (const end of ends.toReversed()) await end().catch((error) => console.error(error));
  });
  rmSync(folder, { recursive: true, force: true });
}
suite.end();
process.exit();
