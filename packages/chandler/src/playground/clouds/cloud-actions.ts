/** Steps of a scenario that only one cloud knows; the cloud itself performs and evaluates them. */
import type { Byok } from '@chandler/cloudsim/azure';

export type CloudAction = AzureAction;

export type AzureAction =
  /** Sets the quota of a VM family, of `cores` or of `lowPriorityCores`. */
  { readonly quota: { readonly name: string; readonly limit: number } } | { readonly byok: ByokAction };

/** Changes to the customer-managed key that take no arguments. */
export type ByokAction = {
  [K in keyof Byok]: Byok[K] extends () => void ? K : never;
}[keyof Byok];

export type CloudCheck = AzureCheck;

export type AzureCheck =
  /** The OS disk of every one of these nodes is encrypted with this disk encryption set. */
  { readonly disksEncryptedWith: { readonly app: string; readonly set: string } };
