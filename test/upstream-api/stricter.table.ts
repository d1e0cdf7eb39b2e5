/**
 * Objects that Chandler's CRDs reject and upstream's accept, by the names of their rows in `test/cluster/crds`, and why they
 * are still rejected. Everything else that upstream accepts is accepted, with a warning where it does not do what it says.
 */
const NOT_PARSED = 'Karpenter cannot decode the object';
const NOT_AN_ID = 'EC2 rejects every call with an id of that form';
const CLOUD_CRD = "upstream's CRDs of that cloud reject it";
const NOT_READY = 'Karpenter itself never makes such an object ready';

export const STRICTER: Readonly<Record<string, string>> = {
  'neither a pod template nor a workload': NOT_READY,
  'a grace period that is no duration': NOT_PARSED,
  'a unit without a number': NOT_PARSED,
  'no spec': NOT_READY,
  'a subnet id with text around it': NOT_AN_ID,
  'a security group id with text around it': NOT_AN_ID,
  'an image id with text around it': NOT_AN_ID,
  'a value that no label can have': NOT_READY,
  'a value that is too long for a label': NOT_READY,
  'an unknown key of Azure': CLOUD_CRD,
  'an unknown key of AKS': CLOUD_CRD,
  'an unknown key of AWS on AWS': CLOUD_CRD,
  'a plain label of AKS on AKS': CLOUD_CRD,
  'a key of AWS that is not about the instance type': CLOUD_CRD,
  "one of AKS's plain labels as a requirement on AKS": CLOUD_CRD,
  'a label below the domain of AKS': CLOUD_CRD,
  'an unknown label of Azure': CLOUD_CRD,
  'an unknown label of AKS': CLOUD_CRD,
  'an unknown label of AWS on AWS': CLOUD_CRD,
  "one of AKS's plain labels on AKS": CLOUD_CRD,
};
