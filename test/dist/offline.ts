/**
 * `simulate` and `bootstrap` over every manifest of examples/, and `plan` over its own. What they print must be what the sources print, and for the
 * examples of simulate what their golden files hold; the table says what each must come to.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from '../../packages/chandler/src/cli/testing.ts';
import { ROOT } from '../../scripts/build/paths.ts';
import * as plans from '../plan/examples.ts';
import { EXAMPLES, FORMS, GOLDEN, simulate } from '../simulate/examples.ts';
import { callVerb } from './sources.ts';
import type { Stage } from './suite.ts';

interface Expected {
  /** Read before it. */
  readonly with?: string;
  /** Flags of `simulate`. */
  readonly flags?: readonly string[];
  readonly pods: number;
  /** Pods that fit nowhere. */
  readonly refused: number;
  /** The size that `bootstrap` chooses; a sentence when it says why not; undefined where there is nothing to bootstrap. */
  readonly bootstrap?: RegExp;
  /** How many values a node of AWS gets, where it is one. */
  readonly ofAws?: number;
  /** How its bootstrap data begins, where it is not as usual on its cloud. */
  readonly script?: RegExp;
}

const NO_POOL = /no AKSNodeClass, NodePool or NodeClaim/;

/**
 * Every file of examples/ that holds manifests. The pool has a limit of 100 cores, and a plan counts the largest size that
 * a node may get against it; so not all pods get a node of their own.
 */
const MANIFESTS: Readonly<Record<string, Expected>> = {
  'aws/arm64.yaml': { pods: 2, refused: 0, ofAws: 8 },
  'aws/bottlerocket.yaml': { pods: 2, refused: 0, ofAws: 8, script: /^\[settings/ },
  'aws/cross-zone.yaml': { pods: 6, refused: 0, ofAws: 8 },
  'aws/general-purpose.yaml': { pods: 3, refused: 0, ofAws: 8 },
  'aws/spot.yaml': { pods: 4, refused: 0, ofAws: 8 },
  'aws/user-data.yaml': { pods: 2, refused: 0, ofAws: 9 },
  'azure/agent-taints.yaml': { pods: 2, refused: 0 },
  'azure/arm64.yaml': { pods: 4, refused: 0 },
  'azure/azurelinux.yaml': { pods: 2, refused: 0 },
  'azure/cross-zone.yaml': { pods: 6, refused: 0 },
  'azure/dedicated.yaml': { pods: 2, refused: 0 },
  'azure/general-purpose.yaml': { pods: 3, refused: 0 },
  'azure/gpu.yaml': { pods: 1, refused: 0 },
  'azure/headroom.yaml': { pods: 2, refused: 0 },
  'azure/large-instances.yaml': { pods: 3, refused: 0 },
  'azure/node-ttl.yaml': { pods: 2, refused: 0 },
  'azure/one-size.yaml': { pods: 2, refused: 0 },
  'azure/small-instances.yaml': { pods: 3, refused: 0 },
  'azure/spot-or-on-demand.yaml': { pods: 2, refused: 0 },
  'azure/spot.yaml': { pods: 4, refused: 0 },
  'azure/system-surge.yaml': { pods: 5, refused: 0 },
  'azure/ubuntu2204.yaml': { pods: 2, refused: 0 },
  'azure/ubuntu2404.yaml': { pods: 2, refused: 0 },
  'nodepool.yaml': { pods: 0, refused: 0 },
  'playground/budget.yaml': { with: 'nodepool.yaml', pods: 3, refused: 1, bootstrap: NO_POOL },
  'playground/encrypted.yaml': { pods: 1, refused: 0 },
  'playground/general.yaml': { with: 'nodepool.yaml', pods: 12, refused: 0, bootstrap: NO_POOL },
  'playground/gpu.yaml': { with: 'nodepool.yaml', pods: 1, refused: 1, bootstrap: NO_POOL },
  'playground/shop.yaml': { with: 'nodepool.yaml', pods: 6, refused: 0, bootstrap: NO_POOL },
  'playground/spot.yaml': { pods: 4, refused: 0 },
  'playground/zones.yaml': {
    with: 'nodepool.yaml',
    flags: ['--zones', 'eastus-1,eastus-2,eastus-3'],
    pods: 6,
    refused: 4,
    bootstrap: NO_POOL,
  },
  'plan/half-empty.yaml': { pods: 0, refused: 0, bootstrap: /more than one NodeClaim/ },
  'simulate/batch.yaml': { pods: 109, refused: 15, ofAws: 8 },
  'simulate/eks.yaml': { pods: 23, refused: 0, ofAws: 8 },
  'simulate/full-cluster.yaml': { pods: 29, refused: 5 },
  'simulate/web-shop.yaml': { pods: 43, refused: 0, bootstrap: /no VM size of the built-in catalogue meets/ },
  'why/unhealthy-pods.yaml': { with: 'nodepool.yaml', pods: 5, refused: 3, bootstrap: NO_POOL },
};

/** Not manifests: a catalogue for `--catalogue`. */
const CATALOGUE = 'simulate/catalogue.yaml';
/** Manifests without NodePools and pods that wait. */
const OF_CHECK = 'check/cronjob.yaml';

export async function checkOffline({ suite, chandler }: Stage): Promise<void> {
  await suite.check('the table names every file of examples/', () => {
    const found = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      found.filter((name) => name.endsWith('.yaml')).sort(),
      [...Object.keys(MANIFESTS), CATALOGUE, OF_CHECK].sort(),
    );
  });

  for (const name of EXAMPLES) {
    for (const [form, ending] of Object.entries(FORMS)) {
      await suite.check(`simulate ${name} -o ${form} is its golden file`, async () => {
        const args = ['simulate', '-f', example(`simulate/${name}.yaml`), '-o', form, '--improve', '0'];
        const { out } = await chandler.run(args);
        assert.equal(out, readFileSync(join(GOLDEN, `${name}.${ending}`), 'utf8'));
      });
    }
  }

  for (const [name, { file, at }] of Object.entries(plans.EXAMPLES)) {
    await suite.check(`plan ${name} is its golden file`, async () => {
      const { out } = await chandler.run(['plan', '-f', example(`plan/${file}.yaml`), '--at', at]);
      assert.equal(out, readFileSync(join(plans.GOLDEN, `${name}.txt`), 'utf8'));
    });
  }

  await suite.check('simulate with a catalogue of its own', async () => {
    const args = ['-f', example('simulate/web-shop.yaml'), '--catalogue', example(CATALOGUE), '-o', 'json'];
    const { out } = await chandler.run(['simulate', ...args]);
    assert.equal(out, (await simulate(args)).out);
    assert.equal(summaryOf(out).refused, 1);
  });

  for (const [file, expected] of Object.entries(MANIFESTS)) {
    await suite.check(`simulate ${file}: ${expected.pods} pods, ${expected.refused} refused`, async () => {
      const before = expected.with === undefined ? [] : ['-f', example(expected.with)];
      const args = [...before, '-f', example(file), ...(expected.flags ?? []), '-o', 'json'];
      const { out } = await chandler.run(['simulate', ...args]);
      assert.equal(out, (await simulate(args)).out);
      const { pods, refused, bound } = summaryOf(out);
      assert.deepEqual({ pods, refused }, { pods: expected.pods, refused: expected.refused });
      assert.equal(typeof bound?.perHour, 'number', 'there is no lower bound: the solver did not run');
    });
    await suite.check(`bootstrap ${file}`, async () => {
      const args = ['bootstrap', 'explain', '-f', example(file), '-o', 'json'];
      const refusal = expected.bootstrap;
      const { out, err } = await chandler.run(args, { code: refusal === undefined ? 0 : 1 });
      if (refusal !== undefined) return assert.match(err, refusal);
      assert.equal(out, (await callVerb(bootstrap, args)).out);
      const { variables } = JSON.parse(out) as { variables: { name: string; source: string }[] };
      assert.equal(variables.length, expected.ofAws ?? 128);
      assert.ok(variables.every(({ source }) => source !== ''));
      const { out: script } = await chandler.run(['bootstrap', 'render', '-f', example(file)]);
      const usual = expected.ofAws === undefined ? /^#!\/bin\/bash\n/ : /^MIME-Version: 1\.0\n/;
      assert.match(script, expected.script ?? usual);
    });
  }
}

// ---------------------------------------------------------------------------------------------------

const example = (name: string) => join(ROOT, 'examples', name);

interface Summary {
  readonly pods: number;
  readonly refused: number;
  readonly bound?: { readonly perHour: number };
}

function summaryOf(out: string): Summary {
  return (JSON.parse(out) as { summary: Summary }).summary;
}
