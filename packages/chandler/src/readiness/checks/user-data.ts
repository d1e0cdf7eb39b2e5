/**
 * What is wrong with the user data of an EC2NodeClass: what the controller says when it renders it for a plain node, and secrets,
 * which everybody can read who may describe the instance. No text of it is repeated.
 */
import { isSecretNameInText, withoutSecrets } from '@chandler/kube';
import type { EC2NodeClassSpec } from '../../api/index.ts';
import { checkUserData } from '../../cloud/aws/node-class/user-data-check.ts';
import { hardcoded } from '../../settings/index.ts';

export interface UserDataJudgement {
  /** Nodes do not start with it, or not as meant. */
  readonly failures: readonly string[];
  readonly doubts: readonly string[];
}

export function judgeUserData(userData: string, family: string | undefined): UserDataJudgement {
  const rendered = family === undefined ? undefined : renderedWith(userData, family);
  const failures = [
    ...(family === 'AL2' && /\/etc\/eks\/bootstrap\.sh/.test(userData)
      ? ['It calls bootstrap.sh, which the controller calls, too.']
      : []),
    ...(rendered !== undefined && 'problem' in rendered ? [sentence(rendered.problem.message)] : []),
  ];
  const doubts = [
    ...(hasSecret(userData)
      ? ['It contains a secret, which everybody can read who may describe the instance.']
      : []),
    ...(rendered !== undefined && 'warnings' in rendered ? rendered.warnings.map(sentence) : []),
  ];
  return { failures, doubts };
}

// ---------------------------------------------------------------------------------------------------------------

type Family = Parameters<typeof checkUserData>[1];

/** Those that read user data in a form of their own; what a custom image reads is not known. */
const FAMILIES: readonly Family[] = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Windows2019',
  'Windows2022',
  'Windows2025',
];

function renderedWith(userData: string, family: string): ReturnType<typeof checkUserData> | undefined {
  const known = FAMILIES.find((each) => each === family);
  return known === undefined ? undefined : checkUserData({ spec: { ...SPEC, userData } }, known, CLUSTER);
}

/** Nothing besides the user data may be wrong with it. */
const SPEC: EC2NodeClassSpec = {
  amiSelectorTerms: [],
  subnetSelectorTerms: [],
  securityGroupSelectorTerms: [],
};

const CLUSTER: Parameters<typeof checkUserData>[2] = {
  name: hardcoded('cluster'),
  endpoint: hardcoded('https://cluster.eks.amazonaws.com'),
  caBundle: hardcoded(''),
  serviceCidr: hardcoded('172.20.0.0/16'),
  dnsIp: hardcoded('172.20.0.10'),
  ipFamily: 'ipv4',
  kubernetesVersion: hardcoded('1.33'),
  region: hardcoded('us-east-1'),
  partition: 'aws',
  accountId: hardcoded(''),
};

function sentence(message: string): string {
  const text = message.replace(/^spec\.userData: /, '');
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;
}

/** `NAME=value`, `name: value` and `--name value`. */
const ASSIGNED = [
  /(?<![\w.-])([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*["']?[^\s"'<{(/-][^\s"']*/g,
  /(?<![\w.-])--([A-Za-z][\w.-]*)[ \t]+["']?[^\s"'<{(/-][^\s"']*/g,
];
/** What is read when the node starts: `NAME=$(…)`, `NAME="$OTHER"`. */
const READ_LATER = /[=: ][ \t]*["']?[$`][^\n]*/g;
/** User and password of curl, and keys of AWS; not the numbers of a user and a group of others, and not the format of a date. */
const WRITTEN =
  /(?:^|\s)(?:-u|--user)[\s=]+["']?(?!\+)(?:(?<=\bcurl\b(?:[^\n;&|(]|\\\n){0,1024})|(?!\d{1,5}:\d{1,5}(?:[\s"']|$)))[^\s:$"']+:[^\s"']+|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/;

/** Shorter than what is hidden in a log also counts. */
function hasSecret(userData: string): boolean {
  const text = userData.replace(READ_LATER, '');
  if (WRITTEN.test(text) || withoutSecrets(text) !== text) return true;
  return ASSIGNED.some((pattern) =>
    [...text.matchAll(pattern)].some(([, name]) => isSecretNameInText(name!)),
  );
}
