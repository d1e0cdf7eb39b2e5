/** The instance in a provider id: `i-0123` of `aws:///us-west-2a/i-0123`. Undefined for what is not one of EC2. */
export function instanceIdOf(providerID: string | undefined): string | undefined {
  return /^aws:\/\/\/[^/]*\/(i-[0-9a-z]+)$/.exec(providerID ?? '')?.[1];
}
