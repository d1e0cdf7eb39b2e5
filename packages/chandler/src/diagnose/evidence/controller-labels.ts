/** What a Deployment of the controller is labelled with: by the charts of Karpenter, and by ours. */
export const CONTROLLER_LABELS: readonly Readonly<Record<string, string>>[] = [
  { 'app.kubernetes.io/name': 'karpenter' },
  { 'app.kubernetes.io/name': 'chandler' },
];
