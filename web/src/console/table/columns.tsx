import type { ConsoleKey } from '../texts/key';
import { Amount } from '../ui/amount';
import { Code } from '../ui/code';
import { Count } from '../ui/count';
import { Moment } from '../ui/moment';
import { StaffName } from '../ui/staff-name';
import { UserLink } from '../ui/user-link';
import type { Column } from './list';

/** The fields of a row that have such a value. */
type NameOf<Row, T> = Extract<{ [K in keyof Row]-?: Row[K] extends T ? K : never }[keyof Row], string>;

type Look = { width?: number; optional?: true };

/** The columns that most lists have, each for a field of the row. */
export function columnsOf<Row extends object>() {
  const textIn = (row: Row, name: string) => (row as Record<string, unknown>)[name] as string | null;
  return {
    text: (name: NameOf<Row, string | null>, header: ConsoleKey, look: Look = {}): Column<Row> => ({
      id: name,
      header,
      width: 200,
      cell: (row) => textIn(row, name),
      csv: (row) => textIn(row, name),
      ...look,
    }),
    /** An id, a key or a hash. */
    code: (name: NameOf<Row, string | null>, header: ConsoleKey, look: Look = {}): Column<Row> => ({
      id: name,
      header,
      width: 300,
      cell: (row) => <Code text={textIn(row, name)} />,
      csv: (row) => textIn(row, name),
      ...look,
    }),
    moment: (name: NameOf<Row, string | null>, header: ConsoleKey, look: Look = {}): Column<Row> => ({
      id: name,
      header,
      width: 140,
      cell: (row) => <Moment at={textIn(row, name)} />,
      csv: (row) => textIn(row, name),
      ...look,
    }),
    /** A member of staff by id. */
    staff: (name: NameOf<Row, string | null>, header: ConsoleKey, look: Look = {}): Column<Row> => ({
      id: name,
      header,
      width: 140,
      cell: (row) => <StaffName id={textIn(row, name)} />,
      csv: (row) => textIn(row, name),
      ...look,
    }),
    amount: (
      name: NameOf<Row, string | null>,
      header: ConsoleKey,
      { signed = false, ...look }: Look & { signed?: boolean } = {},
    ): Column<Row> => ({
      id: name,
      header,
      width: 120,
      align: 'end',
      cell: (row) => <Amount value={textIn(row, name)} signed={signed} />,
      csv: (row) => textIn(row, name),
      ...look,
    }),
    count: (name: NameOf<Row, number>, header: ConsoleKey, look: Look = {}): Column<Row> => ({
      id: name,
      header,
      width: 110,
      align: 'end',
      cell: (row) => <Count value={row[name] as number} />,
      csv: (row) => row[name] as number,
      ...look,
    }),
  };
}

type Named = { user: { id: string; username: string | null } };

/** Whose row it is. */
export function userColumn<Row extends Named>(header: ConsoleKey, look: Look = {}): Column<Row> {
  return {
    id: 'user',
    header,
    width: 180,
    cell: ({ user }) => <UserLink id={user.id} name={user.username} />,
    csv: ({ user }) => user.username ?? user.id,
    ...look,
  };
}
