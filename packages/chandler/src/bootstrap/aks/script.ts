/**
 * The script around the variables. It runs under cloud-init on the first boot of an AKS image: it waits until the image
 * has written its own provisioning scripts, hands them the variables as environment, and starts them.
 */

/** Lines before the variables. */
export const SCRIPT_HEAD: readonly string[] = [
  '#!/bin/bash',
  '# Everything assigned below becomes environment of the provisioning scripts.',
  'set -o allexport',
  '# A later step waits for this marker.',
  "echo '#EOF' >> /opt/azure/manifest.json",
  '# Without a custom script extension nothing else creates this directory.',
  'mkdir -p /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events',
  'printf \'%s,%s\\n\' "$(date)" "$(hostname)" > /var/log/azure/cluster-provision-cse-output.log',
  '# The image writes its provisioning script during boot. The script is complete when it ends with the marker.',
  'for attempt in $(seq 1 1200); do',
  "  if grep -Fq 'EOF' /opt/azure/containers/provision.sh; then break; fi",
  '  if [ "$attempt" -eq 1200 ]; then exit 100; fi',
  '  sleep 1',
  'done',
];

/** The line after them. Not in the background: cloud-init reports how it ended. */
export const SCRIPT_END = '/usr/bin/nohup /bin/bash /opt/azure/containers/provision_start.sh';

export function scriptOf(assignments: readonly string[]): string {
  return `${[...SCRIPT_HEAD, ...assignments, SCRIPT_END].join('\n')}\n`;
}
