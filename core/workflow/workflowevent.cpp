// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/workflowevent.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

QString nameOf(WorkflowEvent::State state)
{
    using State = WorkflowEvent::State;
    switch (state) {
    case State::Started:
        return u"started"_s;
    case State::Progress:
        return u"progress"_s;
    case State::Done:
        return u"done"_s;
    case State::Skipped:
        return u"skipped"_s;
    case State::Failed:
        return u"failed"_s;
    case State::Refused:
        return u"refused"_s;
    }
    return {};
}

QJsonObject toJson(const WorkflowEvent &event)
{
    return {{u"at"_s, event.at.toUTC().toString(Qt::ISODateWithMs)},
            {u"step"_s, event.step},
            {u"state"_s, nameOf(event.state)},
            {u"text"_s, event.text},
            {u"data"_s, event.data}};
}

} // namespace pilothouse
