/** `check --rbac`: a ClusterRole with exactly the reads of the table. */
import { KUBE_YAML } from '@chandler/kube';
import { stringify } from 'yaml';
import { CLUSTER_READS, type ClusterRead } from './reads.table.ts';

export const READER_ROLE = 'chandler-check';

export function clusterRole() {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: READER_ROLE },
    rules: CLUSTER_READS.map(({ resource, verb, key }) => ({
      apiGroups: [resource.group],
      resources: [resource.plural],
      verbs: [verb],
      ...(key === undefined ? {} : { resourceNames: [key.name] }),
    })),
  };
}

/** YAML, each rule with what it is for. */
export function renderRbac(): string {
  const { rules, ...head } = clusterRole();
  const text = (value: unknown) => stringify(value, { ...KUBE_YAML, lineWidth: 0 });
  const written = rules.map(
    (rule, index) => `  # ${useOf(CLUSTER_READS[index]!)}\n${indented(text([rule]))}`,
  );
  return `# What chandler check --live-cluster reads; it writes nothing.\n${text(head)}rules:\n${written.join('')}`;
}

// ---------------------------------------------------------------------------------------------------------------

function useOf({ use, key }: ClusterRead): string {
  const text = `${use[0]!.toUpperCase()}${use.slice(1)}`;
  return key === undefined ? text : `${text} (${key.namespace}/${key.name})`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
