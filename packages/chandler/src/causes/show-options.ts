/**
 * The command that shows the options of the controller in question, also while it does not run. Of its variables only the
 * names: some may hold a token or a secret, and answers are sent on.
 */
export const SHOW_OPTIONS = `kubectl -n {namespace} get deployment {deployment} -o jsonpath="{.spec.template.spec.containers[*]['args','envFrom']} {.spec.template.spec.containers[*].env[*].name}"`;
