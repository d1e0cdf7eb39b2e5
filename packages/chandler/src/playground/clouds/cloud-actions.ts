/** Steps of a scenario that only one cloud knows; the cloud itself performs and evaluates them. */
import type { Byok } from '@chandler/cloudsim/azure';

export type CloudAction = AzureAction | AwsAction;

export type AzureAction =
  /** Sets the quota of a VM family, of `cores` or of `lowPriorityCores`. */
  { readonly quota: { readonly name: string; readonly limit: number } } | { readonly byok: ByokAction };

/** Changes to the customer-managed key that take no arguments. */
export type ByokAction = {
  [K in keyof Byok]: Byok[K] extends () => void ? K : never;
}[keyof Byok];

export type AwsAction =
  /** The oldest spot instances get the warning, and are interrupted two minutes later. */
  | { readonly interruptSpot: { readonly instances: number } }
  /** AWS publishes new AMIs. */
  | { readonly releaseImages: true }
  /** Of the role of the nodes. */
  | { readonly accessEntry: 'create' | 'delete' };

export type CloudCheck = AzureCheck | AwsCheck;

export type AzureCheck =
  /** Every running pod of the app is on a node whose OS disk is encrypted with this disk encryption set. */
  { readonly disksEncryptedWith: { readonly app: string; readonly set: string } };

export type AwsCheck =
  /** The console output of an instance contains this text. */
  | { readonly consoleSays: string }
  /** Every running pod of the app is on a node with the newest AMI. */
  | { readonly latestImage: { readonly app: string } }
  /** No pod of the app runs on an instance that was interrupted. */
  | { readonly noPodOnInterrupted: { readonly app: string } }
  /** The interrupted instances are terminated. */
  | { readonly interruptedGone: true };

/** Names of the nodes that run pods of the app. */
export type NodesOf = (app: string) => Promise<readonly string[]>;
