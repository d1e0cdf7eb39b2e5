/** The forms in which a report can be printed. */
export const OUTPUTS = ['table', 'json', 'yaml', 'html'] as const;
export type Output = (typeof OUTPUTS)[number];
