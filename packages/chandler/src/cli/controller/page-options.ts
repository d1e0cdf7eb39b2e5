/** The options of the page that the controller serves. Off by default, and on loopback: `kubectl port-forward` reaches it there. */
import { isIP } from 'node:net';
import type { OptionValues } from '../../settings/index.ts';
import { UsageError } from '../verb.ts';

export const PAGE_OPTIONS = {
  page: {
    flag: 'page',
    env: 'PAGE',
    type: 'boolean',
    default: false,
    doc: 'Serve the page of the cluster (docs/page.md) to people with a token of Kubernetes. Needs deploy/rbac-page.yaml',
  },
  pagePort: {
    flag: 'page-port',
    env: 'PAGE_PORT',
    type: 'integer',
    default: 8420,
    minimum: 0,
    maximum: 65_535,
    doc: 'The port of the page',
  },
  pageBindAddress: {
    flag: 'page-bind-address',
    env: 'PAGE_BIND_ADDRESS',
    type: 'string',
    default: '127.0.0.1',
    placeholder: 'IP',
    check: (address: string) => (isIP(address) === 0 ? 'an IP address' : undefined),
    doc: 'The IP address on which the page listens. Loopback is reached by kubectl port-forward; 0.0.0.0 also by a Service or an ingress, which needs --page-hosts',
  },
  pageHosts: {
    flag: 'page-hosts',
    env: 'PAGE_HOSTS',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'NAME,…',
    check: (names: readonly string[]) =>
      names.every((name) => HOST.test(name))
        ? undefined
        : 'names such as page.example.com or page.example.com:8443',
    doc: 'Names under which browsers reach the page, besides those of loopback; requests for other names are rejected',
  },
} as const;

/** Where the page is served, and under which names. */
export interface PageRequest {
  readonly address: string;
  readonly port: number;
  readonly hosts: readonly string[];
}

/** Undefined: no page. @throws {UsageError} */
export function pageRequest(options: OptionValues<typeof PAGE_OPTIONS>): PageRequest | undefined {
  const { page, pagePort, pageBindAddress, pageHosts } = options;
  if (!page.value) return undefined;
  const isLoopback = /^(127\.|::1$)/.test(pageBindAddress.value);
  if (!isLoopback && pageHosts.value.length === 0)
    throw new UsageError([
      {
        where: '--page-hosts',
        message: 'is required when --page-bind-address is not a loopback address: no other name is answered',
      },
    ]);
  return { address: pageBindAddress.value, port: pagePort.value, hosts: pageHosts.value };
}

// ---------------------------------------------------------------------------------------------------

const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;
