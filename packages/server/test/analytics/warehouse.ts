import { DuckDBInstance, type JS } from '@duckdb/node-api';
import { clickDimensions, type Dimension } from '../../src/analytics/reports/dimensions.js';

type Row = Record<string, JS>;

/** Loads exported files into DuckDB. */
export async function openWarehouse(files: string) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const query = async (statement: string): Promise<Row[]> => {
    const reader = await connection.runAndReadAll(statement);
    return reader.getRowObjectsJS();
  };
  const read = files.endsWith('.parquet') ? 'read_parquet' : 'read_json';
  await query(`create table visits as select * from ${read}('${files}')`);

  return {
    query,

    /** Returns the totals, breakdowns and days that a report of the API has. */
    async report(where = 'true') {
      const clicks = `from visits where kind = 'human' and ${where}`;
      const [totals = {}] = await query(`select count(*)::int as "totalClicks",
        count(distinct visitor_key)::int as "uniqueClicks",
        count(distinct address_key)::int as "uniqueIps" ${clicks}`);
      const [scans = {}] = await query(`select count(*)::int as "totalScans",
        count(*) filter (certainty = 'proven')::int as "provenScans",
        count(*) filter (certainty = 'inferred')::int as "inferredScans"
        ${clicks} and method = 'scan'`);
      const breakdowns: Record<string, Row[]> = {};
      for (const [name, { fields }] of Object.entries<Dimension>(clickDimensions)) {
        // A city has the columns of its own region and country.
        if (name === 'city') continue;
        const columns = fields.map(toColumn).join();
        const rows = await query(
          `select ${columns}, count(*)::int as clicks ${clicks} group by all`,
        );
        breakdowns[name] = rows.map((row) =>
          Object.fromEntries([
            ...fields.map((field) => [field, row[toColumn(field)] as JS] as const),
            ['clicks', row.clicks as JS] as const,
          ]),
        );
      }
      const days = await query(`select strftime(date_trunc('day', visited_at), '%Y-%m-%d') as day,
        count(*)::int as clicks, count(distinct visitor_key)::int as uniques
        ${clicks} group by 1 order by 1`);
      return { totals, scans, breakdowns, days };
    },

    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
