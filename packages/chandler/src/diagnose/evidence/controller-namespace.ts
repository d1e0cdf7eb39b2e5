/** The namespace of the controller, in which its ConfigMaps count. Nothing is recorded. */
import { EvidenceRecorder, type ObjectReader } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';

import { readController } from './controller.ts';

/** Undefined: it cannot be seen. */
export async function controllerNamespace(
  reader: ObjectReader,
  cloud: CloudDiagnosis,
): Promise<string | undefined> {
  const recorder = new EvidenceRecorder(reader.from, reader.atMs);
  const context = { reader, recorder, cloud, planner: undefined, expectsCustomerKey: false };
  const found = await readController(context);
  if (found !== undefined) return found.options['systemNamespace']?.value || found.namespace;
  // Without a Deployment, only the Lease in the namespace of system components is looked at.
  return recorder.evidence().first('controller')?.leader === undefined ? undefined : 'kube-system';
}
