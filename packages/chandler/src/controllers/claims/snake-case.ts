/** `KernelDeadlock` becomes `kernel_deadlock`, as upstream's labels have it. */
export function snakeCase(text: string): string {
  return text
    .replace(/(.)([A-Z][a-z]+)/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}
