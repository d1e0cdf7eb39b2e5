/** Advice that a reader follows at night must not lose data or switch off a policy. */
import { describe, expect, test } from 'vitest';
import { awsDiagnosis } from '../../cloud/aws/diagnosis.ts';
import { azureDiagnosis } from '../../cloud/azure/index.ts';

import { causesOf } from './index.ts';
import { TABLES } from './verdict.fixture.ts';

const FIXES = TABLES.flatMap(({ causes }) => causes).map(({ id, fix }) => [id, fix] as const);

describe('commands', () => {
  test.each([
    ['azure', azureDiagnosis()],
    ['aws', awsDiagnosis()],
  ])(
    'of %s show the controller and the objects in question, and not the options of this machine or an example',
    (_, cloud) => {
      const commands = causesOf(cloud).flatMap(({ causes }) => causes.flatMap(({ confirm }) => confirm));
      expect(commands.filter((command) => command.includes('--print-options'))).toEqual([]);
      const rendered = commands.filter((command) => command.includes('bootstrap render'));
      expect(rendered.length).toBeGreaterThan(0);
      expect(
        rendered.filter((command) => !/^kubectl get .*nodeclass\/\{nodeClass\}.* -f -/.test(command)),
      ).toEqual([]);
      // zsh takes no comments on its prompt.
      expect(commands.filter((command) => / #/.test(command))).toEqual([]);
      const options = commands.filter((command) => command.includes('get deployment'));
      expect(options.length).toBeGreaterThan(0);
      expect(options.filter((command) => /env(?!From|\[\*\]\.name)/.test(command))).toEqual([]);
    },
  );
});

describe('advice', () => {
  test.each(FIXES.filter(([, fix]) => /--force|VolumeAttachments?, and no|delete its pods/.test(fix)))(
    'of %s: before pods are deleted by force or volumes are detached, the VM is stopped',
    (_, fix) => {
      const stopped = fix.search(/make sure that .* is stopped or deleted/);
      expect(stopped).toBeGreaterThanOrEqual(0);
      expect(fix.indexOf('out-of-service')).toBeGreaterThan(stopped);
      expect(fix.slice(0, stopped)).not.toContain('--force');
    },
  );

  test('never is to delete the VolumeAttachments of a node that does not answer, or the configuration of a webhook', () => {
    const risky = FIXES.filter(([, fix]) =>
      /(?<!Do not )delete (?:its pods and )?(?:its )?(?:VolumeAttachments|configuration)/i.test(fix),
    );
    expect(risky.map(([id]) => id)).toEqual([]);
  });

  test('about a pod that does not terminate names what is safe', () => {
    const fix = new Map(FIXES).get('leaving.pod-stuck');
    expect(fix).toContain('node.kubernetes.io/out-of-service=nodeshutdown:NoExecute');
    expect(fix).toContain('Do not delete the pod with --force before.');
  });
});
