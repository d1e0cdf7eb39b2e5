/**
 * Which api-version a call to ARM uses: that of the SDK in the public cloud, a pinned one elsewhere, and in either what an
 * option says. The SDKs have no setting that covers all their calls, so the version is set in the URL.
 */
import type { PipelinePolicy } from '@azure/core-rest-pipeline';
import { PINNED_API_VERSIONS } from './api-versions.table.ts';

/** By resource type, `Microsoft.Compute/virtualMachines`, or namespace, `Microsoft.Network`. */
export type ApiVersions = Readonly<Record<string, string>>;

export function apiVersionsOf(cloudName: string, overrides: ApiVersions = {}): ApiVersions {
  return { ...(cloudName === 'AzurePublicCloud' ? {} : PINNED_API_VERSIONS), ...overrides };
}

/** The URL with the api-version of its resource type; unchanged where the table has none. */
export function withApiVersion(url: string, versions: ApiVersions): string {
  const type = typeOf(url);
  if (type === undefined) return url;
  let best: string | undefined;
  for (const name of Object.keys(versions)) {
    const matches = `${type}/`.startsWith(`${name.toLowerCase()}/`);
    if (matches && name.length > (best?.length ?? 0)) best = name;
  }
  return best === undefined ? url : url.replace(/([?&]api(?:-|%2D)version=)[^&]*/i, `$1${versions[best]}`);
}

export function apiVersionPolicy(versions: ApiVersions): PipelinePolicy {
  return {
    name: 'apiVersion',
    sendRequest(request, next) {
      request.url = withApiVersion(request.url, versions);
      return next(request);
    },
  };
}

/** What is wrong with the value of the option; undefined when nothing is. */
export function apiVersionsProblem(versions: ApiVersions): string | undefined {
  for (const [type, version] of Object.entries(versions)) {
    if (!/^[A-Za-z]+\.[A-Za-z]+(?:\/[A-Za-z]+)*$/.test(type))
      return `${JSON.stringify(type)} is not a resource type such as Microsoft.Compute/virtualMachines`;
    if (!/^\d{4}-\d{2}-\d{2}(?:-[a-z]+)?$/.test(version))
      return `${type}: ${JSON.stringify(version)} is not an api-version such as 2025-04-01`;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

/** `microsoft.compute/virtualmachines/extensions` of a URL, without the names; undefined where it has no provider. */
function typeOf(url: string): string | undefined {
  const path = url.split('?')[0]!.toLowerCase();
  const at = path.lastIndexOf('/providers/');
  if (at < 0) return undefined;
  const [namespace, ...segments] = path.slice(at + '/providers/'.length).split('/');
  return [namespace, ...segments.filter((_, index) => index % 2 === 0)].join('/');
}
