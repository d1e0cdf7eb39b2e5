/** For tests: inputs of texts, by the same readers as for files. */
import { KUBE_YAML } from '@chandler/kube';
import { parseAllDocuments } from 'yaml';
import type { ReadObject } from '../causes/index.ts';
import type { CheckAction } from '../cloud/aws/account.ts';
import { LIVE_CALLS } from './checks/live-calls.table.ts';
import { assemble } from './inputs/assemble.ts';
import { assembleCluster, liveManifest } from './inputs/cluster/read-cluster.ts';
import { readOfKind } from './inputs/cluster/reads.table.ts';
import { withCluster } from './inputs/cluster/with-cluster.ts';
import type { GitState, Inputs, Manifest } from './inputs/inputs.ts';
import { readYaml } from './inputs/kubernetes/yaml-trees.ts';
import { TerraformJsonReader } from './inputs/terraform/plan-and-state.ts';
import { folderOf } from './inputs/terraform/read-terraform.ts';
import type { SmokeResult } from './smoke/smoke-result.ts';

export { renderPrometheus } from './report/render-prometheus.ts';
export { runSmoke } from './smoke/run-smoke.ts';
export { resultData } from './watch/result-config-map.ts';

/** Calls of the live account that a check is judged from. */
export function callsOf(id: string): readonly CheckAction[] {
  return LIVE_CALLS[id] ?? [];
}

/**
 * By name: `main.tf`, `plan.json`, `state.json`, `.terraform.lock.hcl`, `expectations.yaml`, `smoke.json` (a result), `cluster.yaml`
 * (objects of a live cluster), and YAML of any other name. `git.txt` has the number of commits that are not pushed, and in further
 * lines the files that are not committed.
 */
export function inputsOf({
  'smoke.json': smoke,
  'cluster.yaml': cluster,
  ...files
}: Readonly<Record<string, string>>): Inputs {
  const read = inputsOfFiles(files);
  const inputs =
    cluster === undefined ? read : withCluster(read, assembleCluster(liveObjectsOf(cluster), []));
  return smoke === undefined ? inputs : { ...inputs, smoke: JSON.parse(smoke) as SmokeResult };
}

// ---------------------------------------------------------------------------------------------------------------

function liveObjectsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text, KUBE_YAML).map((document) => {
    const object = document.toJS() as ReadObject;
    return liveManifest(readOfKind(object.kind ?? '')!.resource, object);
  });
}

function inputsOfFiles(files: Readonly<Record<string, string>>): Inputs {
  const named = Object.entries(files).map(([name, text]) => ({ name, text }));
  const ending = (pattern: RegExp) => named.filter(({ name }) => pattern.test(name));
  const expectations = files['expectations.yaml'];
  const git = files['git.txt'];
  return assemble({
    terraform: ending(/\.(tf|tfvars)$/),
    locked: new Set(ending(/\.terraform\.lock\.hcl$/).map(({ name }) => folderOf(name))),
    roots: ['.'],
    variableFiles: new Set(),
    json: ending(/\.(json|tfstate)$/).map(({ name, text }) => {
      const reader = new TerraformJsonReader(name);
      reader.push(text);
      return reader.end();
    }),
    yaml: ending(/\.ya?ml$/).filter(({ name }) => name !== 'expectations.yaml'),
    ...(git === undefined
      ? {}
      : {
          git: gitOf(
            git,
            named.map(({ name }) => name),
          ),
        }),
    ...(expectations === undefined
      ? {}
      : { expectations: readYaml(expectations, 'expectations.yaml').trees[0]! }),
    problems: [],
    files: named.map(({ name }) => name),
  });
}

function gitOf(text: string, files: readonly string[]): GitState {
  const [unpushed, ...changed] = text.trim().split('\n');
  return {
    unpushed: Number(unpushed),
    uncommitted: new Set(changed),
    committed: new Set(files.filter((file) => !changed.includes(file))),
  };
}
