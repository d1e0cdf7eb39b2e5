import { expect, test } from 'vitest';
import { reading, told, warned } from './read.fixture.ts';

test('TOML that containerd could not read is an error with its line, without the text itself', () => {
  const [problem, ...rest] = told(
    reading({ 'containerd.extraConfig': '[debug]\nlevel = "info"\npassword = hunter2 x\n' }),
  );
  expect(problem).toContain('invalid containerd.extraConfig: not TOML: line 3 of its text');
  expect(problem).not.toContain('hunter2');
  expect(rest).toEqual([]);
});

test.each([
  ['maxPod', { maxPod: 30 }, 'maxPods'],
  [
    'authentication.anonymus',
    { authentication: { anonymus: { enabled: false } } },
    'authentication.anonymous',
  ],
  ['memorySwap.swapBehaviour', { memorySwap: { swapBehaviour: 'x' } }, 'memorySwap.swapBehavior'],
])('the unknown kubelet field %s is a warning with a suggestion', (path, extra, guess) => {
  const result = reading({ 'node.kubelet.extraConfig': extra });
  expect(told(result)).toEqual(['accepted']);
  expect(warned(result)).toEqual([
    expect.stringContaining(`node.kubelet.extraConfig.${path} is not a known field of KubeletConfiguration`),
  ]);
  expect(JSON.stringify(result.warnings)).toContain(`did you mean ${guess}?`);
});

test('known fields and the content of maps and lists are accepted', () => {
  const extra = {
    featureGates: { AnyGate: true },
    systemReserved: { cpu: '1' },
    shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 5 }],
  };
  expect(warned(reading({ 'node.kubelet.extraConfig': extra }))).toEqual([]);
});
