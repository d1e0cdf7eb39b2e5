/** A budget of a NodePool in words. Its schedule is in UTC, whatever zone the times of the page are in. */
import { budgetText, type BudgetRule as Rule } from '../model/budgets.ts';

export function BudgetRule({
  budget,
}: {
  readonly budget: Rule & { readonly schedule: string | null; readonly duration: string | null };
}) {
  const { schedule, duration } = budget;
  return (
    <>
      {budgetText(budget)}
      {schedule === null ? null : (
        <>
          {' '}
          at <code>{schedule}</code> UTC for {duration ?? '–'}
        </>
      )}
    </>
  );
}
