/** For tests of causes: a Service of the namespace shop, and the log of the container that needs it. */
import type { EvidenceOf } from '../../causes/index.ts';
import { reading } from '../../causes/testing.ts';

export function aService(
  name: string,
  { port = 5432, ip = '10.2.0.9', readyEndpoints = 0 } = {},
): EvidenceOf<'service'> {
  return {
    kind: 'service',
    reading: reading(`Service shop/${name}`),
    name: `shop/${name}`,
    clusterIPs: [ip],
    ports: [port],
    hasSelector: true,
    readyEndpoints,
  };
}

export function aLog(lines: readonly string[], previous = true): EvidenceOf<'containerLog'> {
  const text = `${lines.join('\n')}\n`;
  const about = { pod: 'shop/web-1', container: 'web', previous };
  return { kind: 'containerLog', reading: reading('log of web'), ...about, text };
}
