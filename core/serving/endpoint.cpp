// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/endpoint.h"

#include "core/base/cleantext.h"
#include "core/diagnosis/rules.h"

#include <QUrl>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Options of a command line: `--name value`, `--name=value`; the last one counts, and some write _ for -.
class Options
{
public:
    explicit Options(const QList<QStringView> &words)
        : m_words(words)
    {
    }
    [[nodiscard]] QString value(const QStringList &names) const
    {
        QString found;
        for (qsizetype i = 0; i < m_words.size(); ++i) {
            const QStringView word = m_words.at(i);
            const qsizetype equals = word.startsWith(u'-') ? word.indexOf(u'=') : -1;
            if (equals > 0 && isOne(word.first(equals), names))
                found = word.sliced(equals + 1).toString();
            else if (isOne(word, names) && i + 1 < m_words.size() && !m_words.at(i + 1).startsWith(u"--"))
                found = m_words.at(i + 1).toString();
        }
        return found.trimmed();
    }
    [[nodiscard]] bool has(const QStringList &names) const
    {
        return std::ranges::any_of(m_words, [&](QStringView word) {
            return isOne(word.first(word.contains(u'=') ? word.indexOf(u'=') : word.size()), names);
        });
    }
    [[nodiscard]] quint16 port(const QStringList &names) const { return value(names).toUShort(); }
    /// The first word that is no option, behind `verb` where there is one.
    [[nodiscard]] QString positional(QStringView verb) const
    {
        qsizetype i = 0;
        if (i < m_words.size() && m_words.at(i) == verb)
            ++i;
        return i < m_words.size() && !m_words.at(i).startsWith(u'-') ? m_words.at(i).toString() : QString();
    }

private:
    static bool isOne(QStringView word, const QStringList &names)
    {
        if (!word.startsWith(u"--"))
            return names.contains(word);
        return names.contains(word.toString().replace(u'_', u'-'));
    }
    QList<QStringView> m_words;
};

/// To connect to what listens everywhere is to connect to loopback.
QString reachable(const QString &address)
{
    if (address.isEmpty() || address == u"0.0.0.0" || address == u"localhost" || address == u"*")
        return u"127.0.0.1"_s;
    if (address == u"::")
        return u"::1"_s;
    return cleanLine(address, 255);
}

void useManners(Endpoint &endpoint)
{
    const EngineManners manners = mannersOf(endpoint.engine);
    endpoint.health = manners.health;
    endpoint.models = manners.models;
    endpoint.metrics = manners.metrics;
    endpoint.metricsPort = manners.metricsPort;
}

void readModel(Endpoint &endpoint, const Options &options)
{
    switch (endpoint.engine) {
    case Engine::Vllm:
        endpoint.model = options.value({u"--served-model-name"_s});
        if (endpoint.model.isEmpty())
            endpoint.model = options.value({u"--model"_s});
        if (endpoint.model.isEmpty())
            endpoint.model = options.positional(u"serve");
        break;
    case Engine::Sglang:
        endpoint.model = options.value({u"--served-model-name"_s});
        if (endpoint.model.isEmpty())
            endpoint.model = options.value({u"--model-path"_s, u"--model"_s});
        break;
    case Engine::TrtLlm:
        endpoint.model = options.value({u"--served-model-name"_s});
        if (endpoint.model.isEmpty())
            endpoint.model = options.positional(u"serve");
        break;
    case Engine::Tgi:
        endpoint.model = options.value({u"--model-id"_s});
        break;
    case Engine::LlamaCpp:
        endpoint.model = options.value({u"-a"_s, u"--alias"_s});
        if (endpoint.model.isEmpty())
            endpoint.model = options.value({u"-m"_s, u"--model"_s, u"-hf"_s, u"--hf-repo"_s});
        break;
    case Engine::Unknown:
    case Engine::Triton:
    case Engine::Ollama:
    case Engine::ComfyUi:
        break;
    }
    endpoint.model = cleanLine(endpoint.model, 200);
}

void readPlace(Endpoint &endpoint, const Options &options)
{
    QString host = options.value({u"--host"_s, u"--hostname"_s});
    endpoint.port = options.port({u"--port"_s});
    switch (endpoint.engine) {
    case Engine::Triton:
        host = options.value({u"--http-address"_s});
        endpoint.port = options.port({u"--http-port"_s});
        if (const quint16 port = options.port({u"--metrics-port"_s}); port != 0)
            endpoint.metricsPort = port;
        break;
    case Engine::Tgi:
        if (endpoint.port == 0)
            endpoint.port = options.port({u"-p"_s});
        break;
    case Engine::ComfyUi:
        host = options.value({u"--listen"_s}).section(u',', 0, 0);
        break;
    case Engine::Vllm:
        endpoint.socket = options.value({u"--uds"_s});
        break;
    case Engine::LlamaCpp:
        if (host.endsWith(u".sock"))
            endpoint.socket = host;
        break;
    default:
        break;
    }
    endpoint.portIsSaid = endpoint.port != 0 || !endpoint.socket.isEmpty();
    if (!endpoint.socket.isEmpty())
        endpoint.port = 0;
    else if (endpoint.port == 0)
        endpoint.port = mannersOf(endpoint.engine).port;
    endpoint.address = reachable(host);
    endpoint.tls = options.has({u"--ssl-keyfile"_s, u"--ssl-key-file"_s, u"--tls-keyfile"_s});
    endpoint.keyNeeded = options.has({u"--api-key"_s, u"--api-key-file"_s});
}

/// The process of the unit that answers for the others: a server that the rules know. Null: none.
const Process *headOf(const QList<Process> &members)
{
    const Process *best = nullptr;
    int bestRank = 0;
    for (const Process &process : members) {
        const RoleRule *role = Rules::builtIn().roleOf(process);
        if (!role || engineOfRole(role->role) == Engine::Unknown)
            continue;
        const int rank = role->roleClass == RoleClass::Server ? 3 : role->roleClass == RoleClass::App ? 2 : 1;
        if (rank > bestRank) {
            best = &process;
            bestRank = rank;
        }
    }
    return best;
}

/// What a person wrote stands above all else.
void applyWish(Endpoint &endpoint, const ServiceWish &wish)
{
    if (!wish.model.isEmpty()) {
        endpoint.model = cleanLine(wish.model, 200);
        endpoint.modelIsWished = true;
    }
    if (wish.health.isEmpty())
        return;
    endpoint.healthIsWished = true;
    endpoint.portIsSaid = true;
    if (wish.health.startsWith(u"unix:")) {
        endpoint.socket = wish.health.sliced(5).section(u' ', 0, 0);
        endpoint.port = 0;
        if (const QString path = wish.health.section(u' ', 1); path.startsWith(u'/'))
            endpoint.health = path.toUtf8();
        return;
    }
    const QUrl url(wish.health, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty())
        return;
    endpoint.socket.clear();
    endpoint.tls = url.scheme() == u"https";
    endpoint.address = reachable(url.host());
    endpoint.port = quint16(url.port(endpoint.tls ? 443 : 80));
    if (const QByteArray path = url.path(QUrl::FullyEncoded).toUtf8(); path.size() > 1)
        endpoint.health = path + (url.hasQuery() ? '?' + url.query(QUrl::FullyEncoded).toUtf8() : QByteArray());
}

bool isUnitProcess(const QList<Process> &members, const ListeningPort &port)
{
    return port.pid.isKnown() && std::ranges::any_of(members, [&](const Process &process) {
        return process.pid.value == port.pid.value();
    });
}

/// Where nobody says a port, the unit's processes show it; and where they listen on one address alone, it is that.
void applyListening(Endpoint &endpoint, const QList<Process> &members, const Snapshot &snapshot, const Process *head)
{
    if (!snapshot.listening || !endpoint.socket.isEmpty())
        return;
    QList<ListeningPort> own;
    for (const ListeningPort &port : *snapshot.listening) {
        if (isUnitProcess(members, port))
            own += port;
    }
    const auto listens = [&](quint16 port) {
        return std::ranges::any_of(own, [&](const ListeningPort &each) { return each.port == port; });
    };
    if (!endpoint.portIsSaid && !listens(endpoint.port)) {
        // The head's own, and that only where it has no choice.
        QList<quint16> candidates;
        for (const ListeningPort &port : std::as_const(own)) {
            if ((!head || port.pid.value() == head->pid.value) && !candidates.contains(port.port))
                candidates += port.port;
        }
        if (candidates.size() == 1)
            endpoint.port = candidates.first();
    }
    if (endpoint.healthIsWished)
        return;
    QStringList addresses;
    for (const ListeningPort &port : std::as_const(own)) {
        if (port.port == endpoint.port)
            addresses += reachable(port.address);
    }
    if (!addresses.isEmpty() && !addresses.contains(endpoint.address))
        endpoint.address = addresses.contains(u"127.0.0.1"_s) ? u"127.0.0.1"_s : addresses.first();
}

} // namespace

HttpRequest Endpoint::ask(const QByteArray &path) const
{
    HttpRequest request;
    request.tls = tls;
    request.address = address;
    request.port = port;
    request.socket = socket;
    request.path = path;
    return request;
}

HttpRequest Endpoint::askMetrics() const
{
    HttpRequest request = ask(metrics);
    request.mostBytes = HttpRequest::metricsBody;
    if (metricsPort != 0)
        request.port = metricsPort;
    return request;
}

QList<Process> membersOf(const Snapshot &snapshot, const QString &unit, bool userUnit)
{
    QList<Process> members;
    const Owner::Kind kind = userUnit ? Owner::Kind::UserUnit : Owner::Kind::Unit;
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        if (process.owner.kind == kind && process.owner.name == unit)
            members += process;
    }
    return members;
}

Endpoint endpointOfCommand(const Process &process)
{
    Endpoint endpoint;
    const RoleRule *role = Rules::builtIn().roleOf(process);
    endpoint.engine = role ? engineOfRole(role->role) : Engine::Unknown;
    useManners(endpoint);
    const Invocation invocation = invocationOf(process.arguments);
    const Options options(invocation.rest);
    readPlace(endpoint, options);
    readModel(endpoint, options);
    return endpoint;
}

Endpoint endpointOf(const ServiceWish &wish, const Snapshot &snapshot)
{
    const QList<Process> members = membersOf(snapshot, wish.unit, wish.userUnit);
    const Process *head = headOf(members);
    Endpoint endpoint;
    if (head) {
        endpoint = endpointOfCommand(*head);
    } else {
        useManners(endpoint);
        // A server that no rule knows: one that its unit starts may still say a port.
        for (const Process &process : members) {
            const Endpoint said = endpointOfCommand(process);
            if (said.portIsSaid && endpoint.port == 0)
                endpoint = said;
        }
    }
    applyWish(endpoint, wish);
    applyListening(endpoint, members, snapshot, head);
    return endpoint;
}

std::optional<PortOwner> ownerOf(const Endpoint &endpoint, const ServiceWish &wish, const Snapshot &snapshot)
{
    if (!snapshot.listening || !endpoint.socket.isEmpty())
        return std::nullopt;
    const QList<Process> members = membersOf(snapshot, wish.unit, wish.userUnit);
    PortOwner owner;
    for (const ListeningPort &port : *snapshot.listening) {
        if (port.port != endpoint.port)
            continue;
        // Several may listen at one port, each at an address of its own, or as SO_REUSEPORT lets them.
        const bool ofUnit = isUnitProcess(members, port);
        if (owner.listens && (owner.isOfUnit || !ofUnit))
            continue;
        owner.listens = true;
        owner.isOfUnit = ofUnit;
        owner.pid = port.pid;
    }
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        if (owner.pid.isKnown() && process.pid.value == owner.pid.value())
            owner.name = process.comm;
    }
    return owner;
}

} // namespace pilothouse
