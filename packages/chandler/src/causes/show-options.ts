/** The command that shows the options of the controller in question, also while it does not run. */
export const SHOW_OPTIONS = `kubectl -n {namespace} get deployment {deployment} -o jsonpath="{.spec.template.spec.containers[0]['args','env','envFrom']}"`;
