/** Provider ids of EC2 instances, as the cloud controller of AWS and the kubelet write them: `aws:///us-west-2a/i-0123`. */

const FORM = /^aws:\/\/\/([^/]+)\/(i-[0-9a-z]+)$/;

export function providerIdOf({ zone, id }: { readonly zone: string; readonly id: string }): string {
  return `aws:///${zone}/${id}`;
}

/** Undefined for what is not the id of an EC2 instance. */
export function parseProviderId(
  providerID: string | undefined,
): { readonly zone: string; readonly id: string } | undefined {
  const [, zone, id] = FORM.exec(providerID ?? '') ?? [];
  return zone === undefined || id === undefined ? undefined : { zone, id };
}
