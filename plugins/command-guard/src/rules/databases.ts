import { render, type SimpleCommand } from "@hooks/shell";
import { textsOf } from "../arguments.js";
import type { Rule } from "../rule.js";
import { shaped } from "./shaped.js";

const COMMENT = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** The first statement that destroys data. */
export function destructiveSql(source: string): string | null {
  for (const part of source.replace(COMMENT, " ").split(";")) {
    const statement = part.trim().replace(/\s+/g, " ");
    if (statement === "") continue;
    if (/^(explain|select|show|describe|\\)/i.test(statement) && !/\binto\b/i.test(statement)) continue;
    if (/\bdrop (database|schema|table|user|role|tablespace|keyspace|index|view|owned|column)\b/i.test(statement))
      return statement;
    if (/^truncate\b/i.test(statement) || /^alter table .*\bdrop\b/i.test(statement)) return statement;
    if (
      /^(delete from|update) /i.test(statement) &&
      (!/\bwhere\b/i.test(statement) || /\bwhere (1 ?= ?1|true)\b/i.test(statement))
    )
      return statement;
  }
  return null;
}

const SQL = new Set([
  "psql",
  "mysql",
  "mariadb",
  "sqlite3",
  "sqlcmd",
  "clickhouse-client",
  "cockroach",
  "cqlsh",
  "duckdb",
  "snowsql",
  "bq",
  "sqlplus",
  "usql",
  "pgcli",
  "mycli",
]);

const QUERIES =
  /(^|\.)(execute|executescript|executemany|query|raw|exec|run|prepare|\$executeRawUnsafe|\$queryRawUnsafe)$/;

function runsSql(command: SimpleCommand): string | null {
  if (command.code !== null && command.code.language !== "sql") {
    const texts = command.code.calls.flatMap(({ name, args }) =>
      QUERIES.test(name) ? args.map(({ text }) => text) : [],
    );
    return texts.map((text) => (text == null ? null : destructiveSql(text))).find((found) => found !== null) ?? null;
  }
  if (!SQL.has(command.program ?? "")) return null;
  if (command.code !== null && command.code.language === "sql") return destructiveSql(render(command.code.source));
  for (const text of textsOf(command.argv.slice(1))) {
    const found = /\s/.test(text) ? destructiveSql(text.replace(/^--?\w+=/, "")) : null;
    if (found !== null) return found;
  }
  return command.stdin.kind === "text" && command.stdin.text.text !== null
    ? destructiveSql(command.stdin.text.text)
    : null;
}

/** Optional rules about databases. */
export const databases: readonly Rule[] = [
  {
    id: "sql-destroy",
    group: "databases",
    severity: "high",
    explanation: "It drops tables or databases, or changes every row of a table.",
    instead: "Count what it would change with a SELECT, work in a transaction, and keep a dump.",
    alternatives: ["psql -c 'select count(*) from users'", "pg_dump app > app.sql"],
    references: ["https://www.postgresql.org/docs/current/sql-droptable.html"],
    hits: [
      "psql -c 'DROP TABLE users'",
      "mysql -e 'delete from users'",
      "echo 'truncate users' | psql app",
      "sqlite3 a.db 'drop table x'",
      "python3 -c \"import sqlite3; sqlite3.connect('a.db').execute('DROP TABLE x')\"",
    ],
    misses: [
      "psql -c 'select 1'",
      "psql -c 'delete from users where id = 1'",
      "mysql -e 'show tables'",
      "echo 'drop table x'",
    ],
    when: ({ program, code }) => SQL.has(program ?? "") || (code !== null && code.calls.length > 0),
    test: runsSql,
  },
  {
    id: "nosql-destroy",
    group: "databases",
    severity: "high",
    explanation: "It empties a database.",
    instead: "Look at what is there, and delete by key.",
    alternatives: ["redis-cli dbsize", "mongosh --eval 'db.users.countDocuments()'"],
    references: ["https://redis.io/docs/latest/commands/flushall/"],
    hits: [
      "redis-cli FLUSHALL",
      "mongosh app --eval 'db.dropDatabase()'",
      "mongo --eval 'db.users.deleteMany({})'",
      "etcdctl del '' --prefix",
    ],
    misses: ["redis-cli get x", "mongosh --eval 'db.users.find()'", "etcdctl get x"],
    programs: ["redis-cli", "valkey-cli", "keydb-cli", "mongo", "mongosh", "etcdctl", "consul", "influx", "curator"],
    test: ({ program, argv, stdin }) => {
      const line = [...textsOf(argv.slice(1)), stdin.kind === "text" ? (stdin.text.text ?? "") : ""].join(" ");
      if (/^(redis|valkey|keydb)-cli$/.test(program ?? ""))
        return /\b(flushall|flushdb|debug\s+(segfault|reload)|shutdown|script\s+flush)\b/i.exec(line)?.[0] ?? null;
      if (/^mongo(sh)?$/.test(program ?? ""))
        return (
          /dropDatabase\s*\(|\.drop\s*\(|(deleteMany|remove)\s*\(\s*(\{\s*\})?\s*\)|dropIndexes?\s*\(|dropUser/.exec(
            line,
          )?.[0] ?? null
        );
      if (program === "etcdctl") return /\bdel\b.*--(prefix|from-key)/.exec(line)?.[0] ?? null;
      return /\b(kv delete -recurse|bucket delete|delete --bucket|delete_indices)\b/.exec(line)?.[0] ?? null;
    },
  },
  shaped({
    id: "database-reset",
    group: "databases",
    severity: "high",
    explanation: "It drops a database and makes it anew, without the data.",
    instead: "Run the pending migrations alone, or reset a copy.",
    alternatives: ["npx prisma migrate status", "bin/rails db:migrate"],
    references: ["https://www.prisma.io/docs/orm/reference/prisma-cli-reference"],
    hits: [
      "dropdb app",
      "npx prisma migrate reset --force",
      "rails db:drop",
      "php artisan migrate:fresh",
      "python manage.py flush --no-input",
      "mysqladmin drop app",
    ],
    misses: [
      "createdb app",
      "npx prisma migrate dev",
      "rails db:migrate",
      "php artisan migrate",
      "python manage.py migrate",
    ],
    shapes: [
      "dropdb",
      "dropuser",
      "mysqladmin drop",
      "prisma migrate reset",
      "prisma db --force-reset|--accept-data-loss",
      "rails|rake db:drop|db:reset|db:purge|db:schema:load|db:truncate_all|db:setup",
      "php artisan|*artisan migrate:fresh|migrate:refresh|migrate:reset|db:wipe",
      "php artisan migrate:fresh|migrate:refresh|migrate:reset|db:wipe",
      "artisan migrate:fresh|migrate:refresh|migrate:reset|db:wipe",
      "python|python3 *manage.py flush|reset_db|sqlflush",
      "manage.py flush|reset_db",
      "django-admin flush",
      "sequelize|sequelize-cli db:drop|db:migrate:undo:all",
      "typeorm schema:drop",
      "knex migrate:rollback --all",
      "alembic downgrade base",
      "mix ecto.drop|ecto.reset",
      "doctrine|console doctrine:database:drop|doctrine:schema:drop",
      "pg_restore -c|--clean",
      "drizzle-kit drop",
      "flyway clean",
      "liquibase drop-all|dropAll",
      "mongorestore --drop",
      "curl -X|--request delete *:9200/*",
      "curl -XDELETE *:9200/*",
      "kafka-topics|kafka-topics.sh --delete",
      "rabbitmqctl reset|force_reset|delete_queue|delete_vhost",
      "wp db drop|reset",
      "hasura metadata clear",
      "neon branches|projects delete",
      "pscale database|branch delete",
    ],
  }),
];
