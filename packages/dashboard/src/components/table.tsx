import type { ComponentChildren } from 'preact';

interface TableProps {
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}

/** A table whose rows are cards on narrow screens. A column has the class of its head. */
export function Table({ heads, children }: TableProps) {
  return (
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col" class={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
